/**
 * Caches the rows of a catalog query across loads. The database sends a hash for each row, and sends the row itself
 * only if this process doesn't know the hash. A reload therefore transfers and parses only changed rows, regardless of
 * the cause of the change.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

interface HashedRow<Raw> {
  readonly hash: string;
  /** The row. Null if this process already caches the row with this hash. */
  readonly row: Raw | null;
}

export class KnownRows<R, Raw = R> {
  readonly #read: (raw: Raw) => R;
  #rows = new Map<string, R>();

  /** `read` converts a raw row to the cached row. */
  constructor(read: (raw: Raw) => R = (raw) => raw as unknown as R) {
    this.#read = read;
  }

  /**
   * Returns all rows in order. A row that was already cached is the same object as in the previous load. Column values
   * have JSON types.
   */
  async select(db: Queryable, query: Sql): Promise<{ rows: R[]; hashes: string[] }> {
    const found = await db.query<HashedRow<Raw>>(sql`
      select r.hash, case when k.hash is null then to_json(r.one) end as row
      from (
        select one, encode(sha256(convert_to(one::text, 'UTF8')), 'base64') as hash, row_number() over () as place
        from (${query}) one
      ) r
      left join unnest(${[...this.#rows.keys()]}::text[]) k (hash) on k.hash = r.hash
      order by r.place`);
    const rows = new Map<string, R>();
    for (const { hash, row } of found) {
      rows.set(hash, row === null ? (this.#rows.get(hash) as R) : this.#read(row));
    }
    this.#rows = rows;
    const hashes = found.map(({ hash }) => hash);
    return { rows: hashes.map((hash) => rows.get(hash) as R), hashes };
  }
}
