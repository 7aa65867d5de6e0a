import type { TextSearchRow } from '../catalog/text-search.ts';
import type { CatalogObject } from '../types.ts';

const kinds = {
  pg_ts_parser: 'TEXT SEARCH PARSER',
  pg_ts_template: 'TEXT SEARCH TEMPLATE',
  pg_ts_dict: 'TEXT SEARCH DICTIONARY',
  pg_ts_config: 'TEXT SEARCH CONFIGURATION',
} as const;

export function textSearchObject(row: TextSearchRow): CatalogObject {
  const kind = kinds[row.catalog];
  return {
    key: `${row.catalog}:${row.oid}`,
    kind,
    schema: row.schema,
    name: row.name,
    identity: row.identity,
    section: 'pre',
    owner: row.owner ?? undefined,
    create: () => [
      `CREATE ${kind} ${row.identity} (${row.definition})`,
      ...(row.mappings ?? []).map(
        ({ tokens, dictionaries }) =>
          `ALTER TEXT SEARCH CONFIGURATION ${row.identity} ADD MAPPING FOR ${tokens} WITH ${dictionaries}`,
      ),
    ],
  };
}
