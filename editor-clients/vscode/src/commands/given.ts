/** The folder that a command is given, by an item of a tree or of a list; else the command chooses. */
export function folderOf(given: unknown): string | undefined {
  const { workspaceFolder } = (given ?? {}) as { readonly workspaceFolder?: unknown };
  return typeof workspaceFolder === 'string' ? workspaceFolder : undefined;
}

/** The same as the argument of a command of the server; left out, it is the current folder. */
export function inFolder(given: unknown): { workspaceFolder?: string } {
  const workspaceFolder = folderOf(given);
  return workspaceFolder === undefined ? {} : { workspaceFolder };
}
