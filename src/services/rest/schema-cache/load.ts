/**
 * Reads the catalogs in one read-only transaction and builds the schema cache. Rows that this process has already read
 * aren't sent again. If the catalogs haven't changed, the same cache object is returned.
 */
import { createHash } from 'node:crypto';
import type { Pool } from '../../../platform/database/types.ts';
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
  selectMediaHandlers,
  selectRepresentations,
  selectSetsResponse,
  type ViewRow,
  viewRows,
} from '../queries.ts';
import { inSlices } from '../slices.ts';
import { buildSchemaCache, type CatalogRows } from './build.ts';
import { KnownRows } from './known-rows.ts';
import type { SchemaCache } from './types.ts';
import { type View, viewOf } from './view-keys.ts';

export interface LoadOptions {
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
        ]);
        const hash = createHash('sha256').update(JSON.stringify([schemas, others]));
        for (const { hashes } of [relations, foreignKeys, primaryKeys, views, routines]) {
          hash.update(`\n${hashes.length} ${hashes.join('')}`);
        }
        const [computed, representations, mediaHandlers, setsResponse] = others;
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
          },
          fingerprint: hash.digest('base64'),
        };
      },
      { readOnly: true, settings: [['search_path', '']] },
    );
  }
}
