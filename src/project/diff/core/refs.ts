/**
 * Gives objects the same names in both models (extras and pg-delta's facts), so that dependencies between them can be
 * found.
 */
import type { StableId } from '@supabase/pg-delta';
import type { CatalogObject } from '../../../operations/dump/index.ts';

const relations: ReadonlySet<string> = new Set([
  'TABLE',
  'FOREIGN TABLE',
  'VIEW',
  'MATERIALIZED VIEW',
  'SEQUENCE',
  'INDEX',
]);
const routines: ReadonlySet<string> = new Set(['FUNCTION', 'PROCEDURE', 'AGGREGATE']);

/** Returns the name of an object. Overloaded functions have the same name. */
export function refOf({ kind, schema, name, identity }: CatalogObject): string {
  if (kind === 'SCHEMA') return `schema ${name}`;
  if (relations.has(kind)) return `relation ${schema}.${name}`;
  if (routines.has(kind)) return `function ${unquoted(identity.slice(0, identity.indexOf('(')))}`;
  if (kind === 'TYPE' || kind === 'DOMAIN') return `type ${schema}.${name}`;
  if (kind === 'COLLATION') return `collation ${schema}.${name}`;
  if (kind === 'EXTENSION') return `extension ${name}`;
  return `${kind.toLowerCase()} ${identity}`;
}

const unquoted = (name: string): string => name.replaceAll('"', '');

/** Returns the name of the object to which a fact belongs. */
export function refOfId(id: StableId): string {
  if ('target' in id) return refOfId(id.target);
  switch (id.kind) {
    case 'schema':
    case 'extension':
      return `${id.kind} ${id.name}`;
    case 'table':
    case 'view':
    case 'materializedView':
    case 'foreignTable':
    case 'sequence':
    case 'index':
      return `relation ${id.schema}.${id.name}`;
    case 'column':
    case 'constraint':
    case 'default':
    case 'trigger':
    case 'rule':
    case 'policy':
      return `relation ${id.schema}.${id.table}`;
    case 'function':
    case 'procedure':
    case 'aggregate':
      return `function ${id.schema}.${id.name}`;
    case 'type':
    case 'domain':
      return `type ${id.schema}.${id.name}`;
    case 'typeAttribute':
      return `type ${id.schema}.${id.type}`;
    case 'collation':
      return `collation ${id.schema}.${id.name}`;
    default:
      return `${id.kind}`;
  }
}

/** Returns the schema of a fact. The result is undefined for objects without a schema, such as roles. */
export function schemaOfId(id: StableId): string | undefined {
  if ('target' in id) return schemaOfId(id.target);
  if (id.kind === 'schema') return id.name;
  return 'schema' in id && id.kind !== 'defaultPrivilege' ? id.schema : undefined;
}
