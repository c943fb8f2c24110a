import * as vscode from 'vscode';

interface Environment {
  readonly path: string;
}

/** The part of the Python extension's interface that is used. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): Environment;
    resolveEnvironment(
      environment: Environment,
    ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): vscode.Disposable;
  };
}

/** What the Python extension knows of interpreters; it is asked only in workspaces with trust. */
export class PythonInterpreters {
  private watching: vscode.Disposable | undefined;

  /** `changed` is called when the user has chosen another interpreter than the one suggested. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly changed: () => void,
  ) {}

  /** The interpreter that the user has chosen there; empty where there is none. */
  async suggested(): Promise<string> {
    const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
    if (extension === undefined || !vscode.workspace.isTrusted) {
      return '';
    }
    try {
      const { environments } = await extension.activate();
      if (environments === undefined) {
        return '';
      }
      this.watching ??= environments.onDidChangeActiveEnvironmentPath(this.changed);
      const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
      const active = environments.getActiveEnvironmentPath(resource);
      const resolved = await environments.resolveEnvironment(active);
      return resolved?.executable.uri?.fsPath ?? '';
    } catch (error) {
      this.log.warn(`The Python extension did not answer: ${String(error)}`);
      return '';
    }
  }

  dispose(): void {
    this.watching?.dispose();
  }
}
