import * as vscode from 'vscode';

import type { ServerCommand } from '../server/process';
import type { ManagedEnvironment } from './environment';
import { findPython, findServer, type Places } from './lookup';
import { thisMachine } from './machine';
import { suggestedInterpreter } from './pythonExtension';

/** There is no server, and none can be made; the message says what to do. */
export class NoServer extends Error {}

const NO_PYTHON =
  'Perdure needs Python 3.11 or newer, and found none. Install it, or name an interpreter in the ' +
  'setting perdure.interpreter.';

/** Finds the server, or installs it. */
export class Locator {
  constructor(
    private readonly environment: ManagedEnvironment,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Find the server; where there is none, make an environment for it. Raises `NoServer`. */
  async locate(): Promise<ServerCommand> {
    const places = await this.places();
    const found = await findServer(places, thisMachine);
    if (found !== undefined) {
      return found;
    }
    await this.make(places);
    return this.managed();
  }

  /** Make the environment anew. Raises `NoServer`. */
  async install(): Promise<void> {
    await this.make(await this.places());
  }

  private managed(): ServerCommand {
    return {
      program: this.environment.program,
      args: ['serve'],
      origin: 'environment of the extension',
    };
  }

  private async places(): Promise<Places> {
    const configuration = vscode.workspace.getConfiguration('perdure');
    const trusted = vscode.workspace.isTrusted;
    return {
      command: configuration.get<string[]>('server.command', []),
      interpreter: configuration.get<string>('interpreter', ''),
      suggestedInterpreter: trusted ? await suggestedInterpreter(this.log) : '',
      managed: this.environment.program,
    };
  }

  private async make(places: Places): Promise<void> {
    const python = await findPython(places, thisMachine);
    if (python === undefined) {
      throw new NoServer(NO_PYTHON);
    }
    try {
      await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: 'Installing the Perdure server',
          cancellable: true,
        },
        (progress, token) => this.observed(python, progress, token),
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new NoServer(`The server could not be installed: ${why}`, { cause: error });
    }
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
