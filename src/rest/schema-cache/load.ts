/** Reads the catalogs in one read-only transaction and builds the schema cache. */
import type { Pool } from '../../database/types.ts';
import {
  selectComputedRelationships,
  selectForeignKeys,
  selectMediaHandlers,
  selectPrimaryKeys,
  selectRelations,
  selectRepresentations,
  selectRoutines,
  selectSetsResponse,
  selectViews,
} from '../queries.ts';
import { buildSchemaCache } from './build.ts';
import type { SchemaCache } from './types.ts';

export interface LoadOptions {
  readonly schemas: readonly string[];
  readonly extraSearchPath: readonly string[];
  readonly hoistedSettings: readonly string[];
}

export async function loadSchemaCache(pool: Pool, options: LoadOptions): Promise<SchemaCache> {
  const { schemas } = options;
  return pool.transaction(
    async (tx) => {
      const [
        relations,
        foreignKeys,
        primaryKeys,
        views,
        computed,
        routines,
        representations,
        mediaHandlers,
        setsResponse,
      ] = await Promise.all([
        selectRelations(tx, schemas),
        selectForeignKeys(tx),
        selectPrimaryKeys(tx),
        selectViews(tx, schemas, options.extraSearchPath),
        selectComputedRelationships(tx),
        selectRoutines(tx, schemas, options.hoistedSettings),
        selectRepresentations(tx),
        selectMediaHandlers(tx, schemas),
        selectSetsResponse(tx),
      ]);
      return buildSchemaCache({
        schemas,
        relations,
        foreignKeys,
        primaryKeys,
        views,
        computed,
        routines,
        representations,
        mediaHandlers,
        setsResponse,
      });
    },
    { readOnly: true, settings: [['search_path', '']] },
  );
}
