/**
 * Manages many deadlines with a single timer by grouping them by second. Deadlines are grouped because there can be
 * tens of thousands of sockets and channels. A deadline needs only two map entries, but a timer needs half a kilobyte.
 */
export class Deadlines<T> {
  #bySecond = new Map<number, Set<T>>();
  #dueOf = new Map<T, number>();
  #checked: number;

  constructor(nowMs: number) {
    this.#checked = Math.floor(nowMs / 1000);
  }

  get size(): number {
    return this.#dueOf.size;
  }

  /** Sets or replaces a deadline. */
  set(thing: T, dueMs: number): void {
    this.delete(thing);
    const second = Math.max(this.#checked + 1, Math.ceil(dueMs / 1000));
    this.#dueOf.set(thing, second);
    const set = this.#bySecond.get(second);
    if (set === undefined) this.#bySecond.set(second, new Set([thing]));
    else set.add(thing);
  }

  delete(thing: T): void {
    const second = this.#dueOf.get(thing);
    if (second === undefined) return;
    this.#dueOf.delete(thing);
    const set = this.#bySecond.get(second);
    set?.delete(thing);
    if (set?.size === 0) this.#bySecond.delete(second);
  }

  /** Removes and returns all items that are due. */
  takeDue(nowMs: number): T[] {
    const now = Math.floor(nowMs / 1000);
    const due: T[] = [];
    // Usually, only one or two seconds have passed since the last call. After a clock jump, iterating over the stored
    // seconds is faster than iterating over the elapsed seconds.
    const seconds =
      now - this.#checked > this.#bySecond.size
        ? [...this.#bySecond.keys()].filter((second) => second <= now).sort((a, b) => a - b)
        : Array.from({ length: Math.max(0, now - this.#checked) }, (_, step) => this.#checked + 1 + step);
    for (const second of seconds) {
      for (const thing of this.#bySecond.get(second) ?? []) {
        due.push(thing);
        this.#dueOf.delete(thing);
      }
      this.#bySecond.delete(second);
    }
    this.#checked = Math.max(this.#checked, now);
    return due;
  }
}
