/** The newest of something, in a buffer that stops growing. */

export interface Ring<T> {
  push(item: T): void;
  /** From the newest to the oldest. */
  backward(): Iterable<T>;
  /** Undefined until something was pushed out. */
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
      // A copy of the place where it begins: while somebody reads, others write.
      const start = next;
      for (let step = 1; step <= items.length; step++)
        yield items[(start - step + items.length) % items.length] as T;
    },
    get oldestKept() {
      return items.length < size ? undefined : items[next];
    },
  };
}
