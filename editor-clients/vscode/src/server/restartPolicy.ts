/** How often a server that crashes is started again, and how long after. Times are in ms. */
export interface RestartLimits {
  readonly attempts: number;
  readonly window: number;
  readonly firstDelay: number;
}

export const DEFAULT_LIMITS: RestartLimits = {
  attempts: 4,
  window: 3 * 60 * 1000,
  firstDelay: 100,
};

/** Remembers crashes; each one within the window doubles the delay, until it is enough. */
export class RestartPolicy {
  private crashes: number[] = [];

  constructor(
    private readonly now: () => number,
    private readonly limits: RestartLimits = DEFAULT_LIMITS,
  ) {}

  /** Take note of a crash; tell the delay before the next start, undefined when it is enough. */
  crashed(): number | undefined {
    const now = this.now();
    this.crashes = this.crashes.filter((time) => now - time < this.limits.window);
    this.crashes.push(now);
    if (this.crashes.length > this.limits.attempts) {
      return undefined;
    }
    return this.limits.firstDelay * 2 ** (this.crashes.length - 1);
  }

  /** Forget all crashes: the user wants another start. */
  reset(): void {
    this.crashes = [];
  }
}
