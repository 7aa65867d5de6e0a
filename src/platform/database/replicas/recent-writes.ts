/**
 * Remembers the position in the log after each client's latest write, so that the client's reads use only replicas that
 * have replayed this write.
 */

/** The maximum number of clients whose positions are stored. Above it, the latest position applies to all clients. */
const MAX_CLIENTS = 10_000;

export class RecentWrites {
  readonly #lsns = new Map<string, bigint>();
  /** The position that every read requires. */
  #floor = 0n;
  /**
   * The clients with writes whose position isn't known, for example because the connection was lost after the commit, and
   * the number of these writes. The key `undefined` stands for all clients.
   */
  readonly #unknown = new Map<string | undefined, number>();

  record(client: string | undefined, lsn: bigint): void {
    if (client === undefined) this.#raise(lsn);
    else if (lsn > (this.#lsns.get(client) ?? 0n)) this.#lsns.set(client, lsn);
    if (this.#lsns.size <= MAX_CLIENTS) return;
    for (const one of this.#lsns.values()) this.#raise(one);
    this.#lsns.clear();
  }

  /**
   * Notes a write that may have been committed at an unknown position. The client's reads use the primary until it is
   * known. The reads of other clients don't, because they must also work while the primary has failed.
   */
  recordUnknown(client: string | undefined): void {
    const key = this.#unknown.size < MAX_CLIENTS ? client : undefined;
    this.#unknown.set(key, (this.#unknown.get(key) ?? 0) + 1);
  }

  /**
   * Prepares to read the primary's position, and returns a function that must be called with the position. The position
   * is behind all writes that ended before this call.
   */
  beforeSample(): (lsn: bigint) => void {
    const unknown = [...this.#unknown];
    return (lsn) => {
      for (const [client, count] of unknown) {
        this.record(client, lsn);
        const left = (this.#unknown.get(client) ?? 0) - count;
        if (left > 0) this.#unknown.set(client, left);
        else this.#unknown.delete(client);
      }
    };
  }

  /** Returns the position that a replica must have replayed. Returns undefined if the read must use the primary. */
  requiredBy(client: string | undefined): bigint | undefined {
    if (this.#unknown.has(client) || this.#unknown.has(undefined)) return undefined;
    const lsn = client === undefined ? undefined : this.#lsns.get(client);
    return lsn === undefined || lsn < this.#floor ? this.#floor : lsn;
  }

  /**
   * Forgets the positions that every usable replica has replayed. They become required by all reads, which changes
   * nothing for these replicas, but excludes a replica that becomes usable again and has replayed less.
   */
  forget(replayed: bigint): void {
    for (const [client, lsn] of this.#lsns) {
      if (lsn > replayed) continue;
      this.#lsns.delete(client);
      this.#raise(lsn);
    }
  }

  #raise(lsn: bigint): void {
    if (lsn > this.#floor) this.#floor = lsn;
  }
}
