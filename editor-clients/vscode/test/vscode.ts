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
