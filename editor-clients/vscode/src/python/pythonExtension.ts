import * as vscode from 'vscode';

/** The part of the Python extension's interface that is used. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

/** The interpreter that the Python extension has chosen; empty where there is none. */
export async function suggestedInterpreter(log: vscode.LogOutputChannel): Promise<string> {
  const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
  if (extension === undefined) {
    return '';
  }
  try {
    const { environments } = await extension.activate();
    const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
    const active = environments?.getActiveEnvironmentPath(resource);
    const resolved = active && (await environments?.resolveEnvironment(active));
    return resolved?.executable.uri?.fsPath ?? '';
  } catch (error) {
    log.warn(`The Python extension did not answer: ${String(error)}`);
    return '';
  }
}
