/**
 * Counts the concurrent requests per function and client, so that one client can't occupy all of a function's workers.
 */
export class ClientShares {
  readonly #limit: () => number;
  readonly #counts = new Map<string, number>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Whether another request from the client may start.
   * @param client The client's key. Undefined for clients that aren't limited.
   */
  mayStart(slug: string, client: string | undefined): boolean {
    return client === undefined || (this.#counts.get(keyOf(slug, client)) ?? 0) < this.#limit();
  }

  enter(slug: string, client: string | undefined): void {
    if (client === undefined) return;
    const key = keyOf(slug, client);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  leave(slug: string, client: string | undefined): void {
    if (client === undefined) return;
    const key = keyOf(slug, client);
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

/** The function and the client in a key are separated by a space, because slugs don't contain spaces. */
const keyOf = (slug: string, client: string): string => `${slug} ${client}`;
