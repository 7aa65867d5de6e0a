/** Requests that wait for a free worker slot. Each request retries when a slot may be free. */
export class WaitingRequests {
  readonly #retries = new Set<() => void>();

  /** Resolves when a slot may be free. Rejects with the result of `onTimeout` after `timeoutMs`. */
  wait(timeoutMs: number, onTimeout: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = setTimeout(
        () => {
          this.#retries.delete(retry);
          reject(onTimeout());
        },
        Math.max(0, timeoutMs),
      );
      const retry = (): void => {
        clearTimeout(end);
        this.#retries.delete(retry);
        resolve();
      };
      this.#retries.add(retry);
    });
  }

  wakeAll(): void {
    for (const retry of [...this.#retries]) retry();
  }
}
