import type { Folders } from '../folders';
import type { Commands } from '../protocol';
import type { Connection } from './connection';

/** The server's commands, for the folder that the user means. */
export class Agent {
  /** `server` waits for a server that runs; where none is installed, it has one made. */
  constructor(
    private readonly server: () => Promise<Connection>,
    private readonly folders: Folders,
  ) {}

  /** Run a command in the current folder, or in the one that the argument names. */
  async execute<Name extends keyof Commands>(
    name: Name,
    argument: Commands[Name][0],
  ): Promise<Commands[Name][1]> {
    const server = await this.server();
    const workspaceFolder = argument.workspaceFolder ?? this.folders.current();
    return server.execute(name, workspaceFolder ? { ...argument, workspaceFolder } : argument);
  }
}
