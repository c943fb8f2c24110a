import * as vscode from 'vscode';

import type { ServerCommand } from '../server/process';
import type { ManagedEnvironment } from './environment';
import { findPython, findServer, type Places } from './lookup';
import { thisMachine } from './machine';
import type { PythonInterpreters } from './pythonExtension';

/** The server cannot be made; the message says what to do. */
export class NoServer extends Error {}

/** There is no server yet, and it is made when somebody wants to use it. */
export class NotInstalled extends Error {}

/** Finds the server, or installs it. */
export class Locator {
  constructor(
    private readonly environment: ManagedEnvironment,
    private readonly interpreters: PythonInterpreters,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Find the server. Raises `NotInstalled`. */
  async locate(): Promise<ServerCommand> {
    const found = await findServer(await this.places(), thisMachine);
    if (found === undefined) {
      throw new NotInstalled(vscode.l10n.t('The Perdure server is not installed yet.'));
    }
    return found;
  }

  /** Make an environment with the server, and show progress. Raises `NoServer`. */
  async install(): Promise<void> {
    const python = await findPython(await this.places(), thisMachine);
    if (python === undefined) {
      const message = vscode.l10n.t('Perdure needs Python 3.11 or newer, and found none.');
      const remedy = vscode.l10n.t(
        'Install it, or name an interpreter in the setting perdure.interpreter.',
      );
      throw new NoServer(`${message} ${remedy}`);
    }
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Installing the Perdure server'),
      cancellable: true,
    };
    try {
      await vscode.window.withProgress(options, (progress, token) =>
        this.observed(python, progress, token),
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new NoServer(vscode.l10n.t('The server could not be installed: {0}', why), {
        cause: error,
      });
    }
  }

  private async places(): Promise<Places> {
    const configuration = vscode.workspace.getConfiguration('perdure');
    return {
      command: configuration.get<string[]>('server.command', []),
      interpreter: configuration.get<string>('interpreter', ''),
      suggestedInterpreter: await this.interpreters.suggested(),
      managed: this.environment.program,
    };
  }

  private async observed(
    python: string,
    progress: vscode.Progress<{ message: string }>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const aborter = new AbortController();
    token.onCancellationRequested(() => {
      aborter.abort();
    });
    await this.environment.make(python, {
      signal: aborter.signal,
      line: (text) => {
        this.log.info(text);
      },
      say: (message) => {
        progress.report({ message });
      },
    });
  }
}
