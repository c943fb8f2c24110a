import { l10n } from 'vscode';

import { whatHappened, type Ended } from './process';
import { Queue } from './queue';
import type { RestartPolicy } from './restartPolicy';

/** One server from `initialize` to its end. */
export interface Life {
  readonly ended: Promise<Ended>;
  /** Shut it down in order; returns when the process is gone. */
  stop(): Promise<void>;
}

/** The server ended before it had answered `initialize`. */
export class EndedEarly extends Error {
  constructor(readonly how: Ended) {
    super(whatHappened(how));
  }
}

export type Phase = 'stopped' | 'starting' | 'running' | 'waiting';

/** What the supervisor needs, and what it tells. */
export interface Hooks<L extends Life> {
  launch(): Promise<L>;
  changed(phase: Phase): void;
  /** It crashed; it is started again after `delay` ms, or not at all. */
  crashed(how: Ended, delay: number | undefined): void;
  /** It could not be started, and starting it again would not help. */
  failed(error: unknown): void;
  sleep(milliseconds: number): Promise<void>;
}

/** Keeps one server alive. All starts and stops go through one queue. */
export class Supervisor<L extends Life> {
  private readonly queue = new Queue();
  private readonly waiters = new Set<() => void>();
  private current: L | undefined;
  private phaseNow: Phase = 'stopped';
  private era = 0;

  constructor(
    private readonly hooks: Hooks<L>,
    private readonly policy: RestartPolicy,
  ) {}

  get phase(): Phase {
    return this.phaseNow;
  }

  get life(): L | undefined {
    return this.current;
  }

  /** Start it where it does not run. */
  start(): Promise<void> {
    return this.queue.run(() => this.begin());
  }

  /** End it for good. */
  stop(): Promise<void> {
    this.era += 1;
    return this.queue.run(() => this.end());
  }

  /** Start it anew, whatever happened before; calls that come together are one. */
  restart(): Promise<void> {
    this.era += 1;
    this.policy.reset();
    return this.queue.join('restart', async () => {
      await this.end();
      await this.begin();
    });
  }

  /** The running server, when it runs; rejects once it stands still. */
  async running(): Promise<L> {
    while (this.current === undefined) {
      if (this.phaseNow === 'stopped') {
        throw new Error(l10n.t('The server does not run.'));
      }
      await new Promise<void>((resolve) => this.waiters.add(resolve));
    }
    return this.current;
  }

  private async begin(): Promise<void> {
    if (this.current !== undefined) {
      return;
    }
    this.enter('starting');
    try {
      const life = await this.hooks.launch();
      this.current = life;
      this.enter('running');
      void life.ended.then((how) => {
        this.over(life, how);
      });
    } catch (error) {
      if (error instanceof EndedEarly && error.how.signal !== null) {
        this.crash(error.how);
        return;
      }
      this.enter('stopped');
      this.hooks.failed(error);
    }
  }

  private async end(): Promise<void> {
    const life = this.current;
    this.current = undefined;
    await life?.stop();
    this.enter('stopped');
  }

  private over(life: L, how: Ended): void {
    if (this.current === life) {
      this.current = undefined;
      this.crash(how);
    }
  }

  private crash(how: Ended): void {
    const delay = this.policy.crashed();
    this.enter(delay === undefined ? 'stopped' : 'waiting');
    this.hooks.crashed(how, delay);
    if (delay !== undefined) {
      const era = this.era;
      void this.hooks.sleep(delay).then(() => (era === this.era ? this.start() : undefined));
    }
  }

  private enter(phase: Phase): void {
    this.phaseNow = phase;
    this.hooks.changed(phase);
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const wake of waiters) {
      wake();
    }
  }
}
