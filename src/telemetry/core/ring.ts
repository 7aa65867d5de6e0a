/** The latest items in a buffer with a fixed maximum size. */

export interface Ring<T> {
  push(item: T): void;
  /** Iterates from newest to oldest. */
  backward(): Iterable<T>;
  /** Undefined until an item was evicted. */
  readonly oldestKept: T | undefined;
}

/** @example createRing<string>(3000) */
export function createRing<T>(size: number): Ring<T> {
  const items: T[] = [];
  let next = 0;
  return {
    push(item) {
      if (items.length < size) {
        items.push(item);
        return;
      }
      items[next] = item;
      next = next + 1 === size ? 0 : next + 1;
    },
    *backward() {
      // A copy of the start position, because writes continue during reads.
      const start = next;
      for (let step = 1; step <= items.length; step++)
        yield items[(start - step + items.length) % items.length] as T;
    },
    get oldestKept() {
      return items.length < size ? undefined : items[next];
    },
  };
}
