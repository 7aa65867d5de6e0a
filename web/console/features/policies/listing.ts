/** Selects the tables and views that the policies page lists. */
import { isSystemSchema } from '../../api/system-schemas.ts';
import type { SecuredTable } from './api.ts';
import type { PolicySearch } from './search.ts';

export const keyOf = ({ schema, name }: SecuredTable): string => `${schema}.${name}`;

/** The number of tables per page. With more tables, the page becomes slow and hard to scan. */
export const tablesPerPage = 40;
/**
 * If a page has more tables than this, it lists only the tables' names, and shows the policies of a table when the
 * operator opens it.
 */
const maxOpenTables = 12;

/**
 * Whether a table is listed without its policies. System tables are always compact, because operators rarely change
 * them.
 */
export const isCompact = (table: SecuredTable, listed: readonly SecuredTable[]): boolean =>
  listed.length > 1 &&
  (isSystemSchema(table.schema) ||
    listed.filter(({ schema }) => !isSystemSchema(schema)).length > maxOpenTables);

/**
 * Whether a table is listed even without a search. A table outside of `public` must have policies or be accessible to
 * an API role.
 */
const isReached = ({ schema, grants, policies }: SecuredTable): boolean =>
  schema === 'public' ||
  policies.length > 0 ||
  grants.some(
    (grant) =>
      grant.role !== 'service_role' && (grant.select || grant.insert || grant.update || grant.delete),
  );

export function listTables(
  tables: readonly SecuredTable[],
  { filter = '', show, schema, only }: PolicySearch,
): SecuredTable[] {
  if (only !== undefined) return tables.filter((table) => keyOf(table) === only);
  const text = filter.toLowerCase();
  return tables.filter((table) => {
    if (schema !== undefined && table.schema !== schema) return false;
    // For a view with `security_invoker`, the policies of its tables apply.
    if (show === 'off' && (table.rls || table.invoker)) return false;
    if (show === 'bare' && (table.kind !== 'table' || table.policies.length > 0)) return false;
    if (text === '') return schema !== undefined || isReached(table);
    return (
      keyOf(table).toLowerCase().includes(text) ||
      table.policies.some(({ name }) => name.toLowerCase().includes(text))
    );
  });
}

/** Sorts relations as the server sorts tables: the schema `public` first. */
export const byName = (left: SecuredTable, right: SecuredTable): number =>
  Number(right.schema === 'public') - Number(left.schema === 'public') ||
  compare(left.schema, right.schema) ||
  compare(left.name, right.name);

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
