import { setTimeout as sleep } from 'node:timers/promises';
import type * as vscode from 'vscode';

import { tellBlocked, tellCrash, tellFailure, tellNotInstalled } from '../notifications';
import type { Status } from '../protocol';
import { NotInstalled, type Locator } from '../python/locate';
import type { ApiKeys } from '../secrets';
import type { Connection, ConnectionOptions, Handlers } from './connection';
import { Launcher } from './launcher';
import { tellMessage } from './messages';
import { RestartPolicy } from './restartPolicy';
import { Supervisor, type Phase } from './supervisor';

export interface ServiceParts {
  readonly log: vscode.LogOutputChannel;
  readonly locator: Locator;
  readonly keys: ApiKeys;
  readonly handlers: Handlers;
  readonly statuses: () => Status[];
  readonly nameOf: ConnectionOptions['nameOf'];
  readonly changed: (phase: ServicePhase) => void;
}

/** `missing`: no server is installed, and one will be when somebody wants something done. */
export type ServicePhase = Phase | 'missing';

/** The server of this window: found or installed, started, kept alive, and told of when it fails. */
export class Service {
  readonly supervisor: Supervisor<Connection>;
  private missing = false;

  constructor(private readonly parts: ServiceParts) {
    const { log, locator, keys, handlers, statuses, nameOf } = parts;
    const launcher = new Launcher({
      log,
      locator,
      keys,
      handlers,
      nameOf,
      showMessage: (params) => {
        tellMessage(params, statuses());
      },
      commandDone: tellBlocked,
      commandFailed: tellFailure,
    });
    this.supervisor = new Supervisor<Connection>(
      {
        launch: () => launcher.launch(),
        changed: (phase) => {
          this.missing &&= phase === 'stopped';
          parts.changed(this.phase);
        },
        crashed: tellCrash,
        failed: (error) => {
          this.failed(error);
        },
        sleep,
      },
      new RestartPolicy(Date.now),
    );
  }

  get phase(): ServicePhase {
    return this.missing ? 'missing' : this.supervisor.phase;
  }

  /** The server of somebody who wants something done: that is when it is installed. */
  async demanded(): Promise<Connection> {
    if (this.missing) {
      await this.parts.locator.install();
      await this.supervisor.restart();
    }
    return this.supervisor.running();
  }

  /** Start another server where another one is found now; one that cannot be found stays. */
  async lookAgain(): Promise<void> {
    const running = this.supervisor.life?.command;
    const found = await this.parts.locator.locate().catch(() => running);
    if (JSON.stringify(found) !== JSON.stringify(running)) {
      await this.supervisor.restart();
    }
  }

  private failed(error: unknown): void {
    this.missing = error instanceof NotInstalled;
    if (this.missing) {
      this.parts.changed('missing');
      tellNotInstalled();
    } else {
      tellFailure(error);
    }
  }
}
