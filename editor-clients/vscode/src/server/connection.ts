import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  ShowMessageNotification,
  type DynamicFeature,
  type LanguageClientOptions,
  type ShowMessageParams,
  type StaticFeature,
} from 'vscode-languageclient/node';

import { messageOf } from '../errors';
import type { Commands, ServerMethods } from '../protocol';
import type { ServerSettings } from '../settings';
import { namingFolders, onlyTranscripts } from './middleware';
import { ServerProcess, type Ended, type ServerCommand } from './process';
import { EndedEarly, type Life } from './supervisor';

const PIPES_FIRST_MS = 1000;
const ANSWER_MS = 60_000;

/** Handlers of what the server sends. */
export type Handlers = {
  [Method in keyof ServerMethods]: (
    params: ServerMethods[Method][0],
  ) => ServerMethods[Method][1] | Promise<ServerMethods[Method][1]>;
};

export interface ConnectionOptions {
  readonly command: ServerCommand;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly log: vscode.LogOutputChannel;
  readonly settings: () => ServerSettings;
  readonly handlers: Handlers;
  /** The name of the folder that works on a session, where several are open. */
  readonly nameOf: (sessionId: string) => string | undefined;
  readonly showMessage: (params: ShowMessageParams) => void;
  /** A command of a lens, a quick fix or a message has its result, or failed. */
  readonly commandDone: (result: unknown) => void;
  readonly commandFailed: (error: unknown) => void;
}

/** A language client and its server, from start to end. It is never used again after its end. */
export class Connection implements Life {
  private constructor(
    readonly command: ServerCommand,
    private readonly client: LanguageClient,
    private readonly server: ServerProcess,
  ) {}

  /** Start a server; returns when it has answered `initialize`. Raises `EndedEarly`. */
  static async start(options: ConnectionOptions): Promise<Connection> {
    const { command, env, cwd, log } = options;
    log.info(`Starting ${[command.program, ...command.args].join(' ')} (${command.origin})`);
    const server = new ServerProcess(command, {
      env,
      cwd,
      onLine: (line) => {
        log.info(line);
      },
    });
    const client = new PerdureClient(
      'perdure',
      'Perdure',
      () => Promise.resolve({ reader: server.child.stdout, writer: server.child.stdin }),
      clientOptions(options),
    );
    handle(client, options.handlers);
    client.onNotification(ShowMessageNotification.type, options.showMessage);
    const early = server.ended.then((how) => Promise.reject(new EndedEarly(how)));
    const silent = sleep(ANSWER_MS, undefined, { ref: false }).then(() =>
      Promise.reject(
        new Error(vscode.l10n.t('It has not answered within {0} s.', ANSWER_MS / 1000)),
      ),
    );
    try {
      await Promise.race([client.start(), early, silent]);
    } catch (error) {
      const how = error instanceof EndedEarly ? error.how : await endOf(server, messageOf(error));
      await client.dispose().catch(() => undefined);
      throw new EndedEarly(how);
    }
    return new Connection(command, client, server);
  }

  get ended(): Promise<Ended> {
    return this.server.ended;
  }

  kill(): void {
    this.server.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.client.dispose(5000).catch(() => undefined);
    await this.server.stop();
  }

  execute<Name extends keyof Commands>(
    name: Name,
    argument: Commands[Name][0],
  ): Promise<Commands[Name][1]> {
    const params = { command: name, arguments: [argument] };
    return this.client.sendRequest(ExecuteCommandRequest.method, params);
  }

  transcript(uri: vscode.Uri): Promise<{ text: string }> {
    return this.client.sendRequest('perdure/transcript', { uri: uri.toString() });
  }
}

/** How a server ended that cannot be talked to; one that goes on running is stopped. */
async function endOf(server: ServerProcess, why: string): Promise<Ended> {
  // Its pipes close a moment before its end is known.
  const byItself = await Promise.race([server.ended, sleep(PIPES_FIRST_MS, undefined)]);
  if (byItself !== undefined) {
    return byItself;
  }
  server.kill('SIGTERM');
  await server.stop();
  const { code, lastWords } = await server.ended;
  return { code, signal: null, lastWords: lastWords === '' ? why : lastWords };
}

/**
 * Leaves the documents of scheme `perdure` to the extension, which adds what still streams, and
 * messages too: what goes wrong is told once.
 */
class PerdureClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const type = 'registrationType' in feature ? feature.registrationType.method : '';
    if (type !== 'workspace/textDocumentContent') {
      super.registerFeature(feature);
    }
  }
}

function clientOptions(options: ConnectionOptions): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: 'file' }, { scheme: 'perdure' }],
    outputChannel: options.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: options.settings(),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    middleware: {
      ...onlyTranscripts,
      ...namingFolders(options.nameOf),
      executeCommand: async (command, args, next) => {
        try {
          const result = await (next(command, args) as Promise<unknown>);
          options.commandDone(result);
          return result;
        } catch (error) {
          options.commandFailed(error);
          return undefined;
        }
      },
      workspace: {
        configuration: (params) =>
          params.items.map((item) => (item.section === 'perdure' ? options.settings() : null)),
        // Without contents: the server then asks, and gets only what is set.
        didChangeConfiguration: (_sections, next) => next(undefined),
      },
    },
  };
}

function handle(client: LanguageClient, handlers: Handlers): void {
  client.registerFeature({
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { perdure: { approve: true, diagnostics: true } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  });
  client.onNotification('perdure/status', handlers['perdure/status']);
  client.onNotification('perdure/delta', handlers['perdure/delta']);
  client.onNotification('perdure/committed', handlers['perdure/committed']);
  client.onNotification('perdure/transcriptChanged', handlers['perdure/transcriptChanged']);
  client.onRequest('perdure/approve', handlers['perdure/approve']);
  client.onRequest('perdure/diagnostics', handlers['perdure/diagnostics']);
}
