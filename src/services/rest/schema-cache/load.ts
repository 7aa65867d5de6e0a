/**
 * Reads the catalogs in one read-only transaction and builds the schema cache. Rows that this process has already read
 * aren't sent again. If the catalogs haven't changed, the same cache object is returned.
 */
import { createHash } from 'node:crypto';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { inSlices } from '../../../base/shared/slices.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import {
  type ForeignKeyRow,
  foreignKeyRows,
  type PrimaryKeyRow,
  primaryKeyRows,
  type RelationRow,
  type RoutineRow,
  relationRows,
  routineRows,
  selectComputedRelationships,
  selectIsDistributed,
  selectMediaHandlers,
  selectRepresentations,
  selectSetsResponse,
  type ViewRow,
  viewRows,
} from '../queries.ts';
import { buildSchemaCache, type CatalogRows } from './build.ts';
import type { SchemaCache } from './types.ts';
import { type View, viewOf } from './view-keys.ts';

interface LoadOptions {
  readonly schemas: readonly string[];
  readonly extraSearchPath: readonly string[];
  readonly hoistedSettings: readonly string[];
}

export class SchemaCacheLoader {
  readonly #relations = new KnownRows<RelationRow>();
  readonly #foreignKeys = new KnownRows<ForeignKeyRow>();
  readonly #primaryKeys = new KnownRows<PrimaryKeyRow>();
  readonly #views = new KnownRows<View, ViewRow>(viewOf);
  readonly #routines = new KnownRows<RoutineRow>();
  #last: { readonly fingerprint: string; readonly cache: SchemaCache } | undefined;

  /** Loads the schema cache. Calls must not overlap. */
  async load(pool: Pool, options: LoadOptions): Promise<SchemaCache> {
    const { rows, fingerprint } = await this.#read(pool, options);
    if (this.#last?.fingerprint === fingerprint) return this.#last.cache;
    const cache = await inSlices(buildSchemaCache(rows));
    this.#last = { fingerprint, cache };
    return cache;
  }

  async #read(
    pool: Pool,
    { schemas, extraSearchPath, hoistedSettings }: LoadOptions,
  ): Promise<{ rows: CatalogRows; fingerprint: string }> {
    return pool.transaction(
      async (tx) => {
        const [relations, foreignKeys, primaryKeys, views, routines, ...others] = await Promise.all([
          this.#relations.select(tx, relationRows(schemas)),
          this.#foreignKeys.select(tx, foreignKeyRows()),
          this.#primaryKeys.select(tx, primaryKeyRows()),
          this.#views.select(tx, viewRows(schemas, extraSearchPath)),
          this.#routines.select(tx, routineRows(schemas, hoistedSettings)),
          selectComputedRelationships(tx),
          selectRepresentations(tx),
          selectMediaHandlers(tx, schemas),
          selectSetsResponse(tx),
          selectIsDistributed(tx),
        ]);
        const hash = createHash('sha256').update(JSON.stringify([schemas, others]));
        for (const { hashes } of [relations, foreignKeys, primaryKeys, views, routines]) {
          hash.update(`\n${hashes.length} ${hashes.join('')}`);
        }
        const [computed, representations, mediaHandlers, setsResponse, isDistributed] = others;
        return {
          rows: {
            schemas,
            relations: relations.rows,
            foreignKeys: foreignKeys.rows,
            primaryKeys: primaryKeys.rows,
            views: views.rows,
            computed,
            routines: routines.rows,
            representations,
            mediaHandlers,
            setsResponse,
            isDistributed,
          },
          fingerprint: hash.digest('base64'),
        };
      },
      { readOnly: true, settings: [['search_path', '']] },
    );
  }
}

interface HashedRow<Raw> {
  readonly hash: string;
  /** The row. Null if this process already caches the row with this hash. */
  readonly row: Raw | null;
}

/**
 * Caches the rows of a catalog query across loads. The database sends a hash for each row, and sends the row itself
 * only if this process doesn't know the hash. A reload therefore transfers and parses only changed rows, regardless of
 * the cause of the change.
 */
class KnownRows<R, Raw = R> {
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
