/** A buffer that keeps the latest items, up to a fixed number. */

export interface Ring<T> {
  push(item: T): void;
  /** Yields the items from newest to oldest. */
  backward(): Iterable<T>;
  /** The oldest item in the buffer. Undefined until the first item is evicted. */
  readonly oldestKept: T | undefined;
}

/**
 * Creates a buffer for the latest `size` items.
 *
 * @example createRing<string>(3000)
 */
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
      // The start position is copied because items are added while others are read.
      const start = next;
      for (let step = 1; step <= items.length; step++)
        yield items[(start - step + items.length) % items.length] as T;
    },
    get oldestKept() {
      return items.length < size ? undefined : items[next];
    },
  };
}
