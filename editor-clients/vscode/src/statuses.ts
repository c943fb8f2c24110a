import type { Status } from './protocol';

export interface StatusChange {
  readonly now: Status;
  readonly before: Status | undefined;
}

type Listener = (change: StatusChange) => void;

/** What the server last said of each workspace folder. */
export class Statuses {
  private readonly byFolder = new Map<string, Status>();
  private readonly listeners: Listener[] = [];

  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  update(now: Status): void {
    const before = this.byFolder.get(now.workspaceFolder);
    this.byFolder.set(now.workspaceFolder, now);
    for (const listener of this.listeners) {
      listener({ now, before });
    }
  }

  of(folder: string): Status | undefined {
    return this.byFolder.get(folder);
  }

  all(): Status[] {
    return [...this.byFolder.values()];
  }

  /** The folder that has a session on its desk. */
  ofSession(sessionId: string): Status | undefined {
    return this.all().find((status) => status.sessionId === sessionId);
  }

  /** The server that said it all has ended. */
  clear(): void {
    this.byFolder.clear();
  }

  forget(folder: string): void {
    this.byFolder.delete(folder);
  }
}
