// What the tested modules need of `vscode`, which exists only inside the editor.

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}

  static from({ scheme, path }: { scheme: string; path: string }): Uri {
    return new Uri(scheme, path);
  }

  static parse(text: string): Uri {
    const [, scheme = '', path = ''] = /^([\w-]+):(?:\/\/)?(.*)$/.exec(text) ?? [];
    return new Uri(scheme, path);
  }

  toString(): string {
    return `${this.scheme}:${this.path}`;
  }
}

export class EventEmitter<T> {
  private readonly listeners: ((value: T) => void)[] = [];

  readonly event = (listener: (value: T) => void): void => {
    this.listeners.push(listener);
  };

  fire(value: T): void {
    for (const listener of this.listeners) {
      listener(value);
    }
  }
}

/** Texts as they stand in the source. */
export const l10n = {
  t: (message: string, ...given: unknown[]): string =>
    message.replace(/{(\d+)}/g, (_, index: string) => String(given[Number(index)])),
};

export interface Folder {
  readonly uri: Uri;
  readonly name: string;
}

const toldNothing = new Promise<undefined>(() => undefined);

/** The window, as a test has it: the user picks `picked`, and lets all messages stand. */
export const window = {
  activeTextEditor: undefined as { document: { uri: Uri } } | undefined,
  picked: undefined as unknown,
  messages: [] as string[],
  showWorkspaceFolderPick: (): Promise<unknown> => Promise.resolve(window.picked),
  showQuickPick: (items: { description: string }[]): Promise<unknown> =>
    Promise.resolve(items.find(({ description }) => description === window.picked)),
  showInformationMessage: shown,
  showWarningMessage: shown,
  showErrorMessage: shown,
};

function shown(message: string): Promise<undefined> {
  window.messages.push(message);
  return toldNothing;
}

export const workspace = {
  workspaceFolders: [] as Folder[],
  getWorkspaceFolder: (file: Uri): Folder | undefined =>
    workspace.workspaceFolders.find(({ uri }) => file.toString().startsWith(`${uri.toString()}/`)),
};
