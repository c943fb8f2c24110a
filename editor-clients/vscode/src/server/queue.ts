/** Runs tasks one after another, so that two restarts never overlap. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();
  private readonly waiting = new Map<string, Promise<unknown>>();

  /** Run the task when those before it are done, whether they failed or not. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.last.then(task, task);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Like `run`, but joins a task of the same name that has not begun. */
  join(name: string, task: () => Promise<void>): Promise<void> {
    const already = this.waiting.get(name);
    if (already) {
      return already as Promise<void>;
    }
    const result = this.run(() => {
      this.waiting.delete(name);
      return task();
    });
    this.waiting.set(name, result);
    return result;
  }
}
