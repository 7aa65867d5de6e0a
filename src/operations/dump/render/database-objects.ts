import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { EventTriggerRow, PublicationRow } from '../catalog/database-objects.ts';
import type { ExtensionRow, SchemaRow } from '../catalog/schemas.ts';
import { list, literal } from '../core/text.ts';
import type { CatalogObject } from '../types.ts';

export const schemaObject = (row: SchemaRow): CatalogObject => ({
  key: `pg_namespace:${row.oid}`,
  kind: 'SCHEMA',
  schema: row.name,
  name: row.name,
  identity: row.quoted,
  section: 'pre',
  owner: row.name === 'public' && row.owner === 'pg_database_owner' ? undefined : row.owner,
  acl: { target: 'SCHEMA', items: row.acl },
  create: () => [`CREATE SCHEMA IF NOT EXISTS ${row.quoted}`],
});

/** Schemas that exist in every target database. The dump may exclude other schemas that contain extensions. */
const commonSchemas = new Set(['public', 'extensions', 'pg_catalog']);

export const extensionObject = (row: ExtensionRow): CatalogObject => ({
  key: `pg_extension:${row.oid}`,
  kind: 'EXTENSION',
  name: row.name,
  identity: row.quoted,
  section: 'pre',
  creator: row.owner,
  create: () => [
    ...(row.schema === null || commonSchemas.has(row.schema)
      ? []
      : [`CREATE SCHEMA IF NOT EXISTS ${row.schema}`]),
    `CREATE EXTENSION IF NOT EXISTS ${row.quoted}${row.schema === null ? '' : ` WITH SCHEMA ${row.schema}`}`,
  ],
});

const states: Readonly<Record<string, string>> = {
  A: 'ENABLE ALWAYS',
  R: 'ENABLE REPLICA',
  D: 'DISABLE',
};

export const eventTriggerObject = (row: EventTriggerRow): CatalogObject => ({
  key: `pg_event_trigger:${row.oid}`,
  kind: 'EVENT TRIGGER',
  schema: row.functionSchema,
  name: row.name,
  identity: row.name,
  section: 'final',
  owner: row.owner,
  needs: [`pg_proc:${row.functionOid}`],
  create: () => [
    `CREATE EVENT TRIGGER ${row.name} ON ${row.event}` +
      (row.tags === null ? '' : `\n    WHEN TAG IN (${list(row.tags.map(literal))})`) +
      `\n    EXECUTE FUNCTION ${row.function}()`,
    ...(states[row.enabled] === undefined ? [] : [`ALTER EVENT TRIGGER ${row.name} ${states[row.enabled]}`]),
  ],
});

/** The publication that every Plinth database and every database of the hosted service has. */
const predefinedPublication = 'supabase_realtime';

/** Omits tables in schemas for which `includes` returns false, because such tables aren't part of the dump. */
export function publicationObject(row: PublicationRow, includes: (schema: string) => boolean): CatalogObject {
  const { name } = row;
  const parameters = [
    `publish = ${literal(row.publish)}`,
    ...(row.viaRoot ? ['publish_via_partition_root = true'] : []),
    ...(row.generatedColumns === null ? [] : ["publish_generated_columns = 'stored'"]),
  ];
  const create = `CREATE PUBLICATION ${name}${row.allTables ? ' FOR ALL TABLES' : ''} WITH (${list(parameters)})`;
  const guarded =
    `DO $$BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = ${literal(name)}) ` +
    `THEN ${create}; END IF; END$$`;
  const tables = row.tables.filter(({ schema }) => includes(schema));
  const schemas = row.schemas.filter(includes);
  return {
    key: `pg_publication:${row.oid}`,
    kind: 'PUBLICATION',
    name,
    identity: name,
    section: 'post',
    owner: row.owner,
    needs: tables.map(({ oid }) => `pg_class:${oid}`),
    create: () => [
      name === predefinedPublication ? guarded : create,
      ...tables.map(
        ({ table, columns, where }) =>
          `ALTER PUBLICATION ${name} ADD TABLE ONLY ${table}${columns === null ? '' : ` (${columns})`}` +
          (where === null ? '' : ` WHERE (${where})`),
      ),
      ...schemas.map((schema) => `ALTER PUBLICATION ${name} ADD TABLES IN SCHEMA ${quoteIdentifier(schema)}`),
    ],
  };
}
