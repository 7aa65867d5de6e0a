/** Warns about changes of privileges that expose rows or that take privileges from the roles of API requests. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { secretSchemas } from '../core/roles.ts';
import { isInvokerView } from '../views/queries.ts';
import type { SchemaChange } from './changes.ts';
import type { Warning } from './contract.ts';
import { apiRoles, isServiceRole } from './core/system-roles.ts';

const dataPrivileges: readonly string[] = ['select', 'insert', 'update', 'delete'];
const visitors: readonly string[] = ['anon', 'authenticated', 'public'];

export async function accessWarnings(db: Queryable, changes: readonly SchemaChange[]): Promise<Warning[]> {
  const warnings: Warning[] = [];
  for (const change of changes) {
    for (const warning of await warningsOf(db, change))
      if (!warnings.some((each) => JSON.stringify(each) === JSON.stringify(warning))) warnings.push(warning);
  }
  return warnings;
}

const unknownRows = { rows: null, exact: true } as const;

async function warningsOf(db: Queryable, change: SchemaChange): Promise<Warning[]> {
  if (change.kind === 'create_publication' || change.kind === 'publish_tables')
    return publicationWarnings(db, change);
  const warning = await warningOf(db, change);
  return warning === undefined ? [] : [warning];
}

async function publicationWarnings(
  db: Queryable,
  {
    publication,
    tables,
  }: Pick<Extract<SchemaChange, { kind: 'create_publication' }>, 'publication' | 'tables'>,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  if (publication !== 'supabase_realtime') return warnings;
  for (const { schema, name } of tables)
    if (await isUnprotected(db, schema, name))
      warnings.push({ kind: 'published', on: `${schema}.${name}`, ...unknownRows });
  return warnings;
}

async function warningOf(db: Queryable, change: SchemaChange): Promise<Warning | undefined> {
  switch (change.kind) {
    case 'grant': {
      const { target, role, privileges } = change;
      const schema = target.type === 'schema' ? target.name : target.schema;
      const on = target.type === 'schema' ? schema : `${schema}.${target.name}`;
      if (secretSchemas.includes(schema) && !isServiceRole(role) && role !== 'service_role')
        return { kind: 'secrets', on, role, ...unknownRows };
      const isData = privileges.some((privilege) => dataPrivileges.includes(privilege));
      if (target.type !== 'table' || !isData || !visitors.includes(role)) return undefined;
      return (await isUnprotected(db, schema, target.name))
        ? { kind: 'exposed', on, role, ...unknownRows }
        : undefined;
    }
    case 'revoke': {
      const { target, role, grantOption } = change;
      if (grantOption === true) return undefined;
      if (target.type === 'schema' && (apiRoles.includes(role) || role === 'public'))
        return { kind: 'closed_schema', on: target.name, role, ...unknownRows };
      const on = target.type === 'schema' ? target.name : `${target.schema}.${target.name}`;
      return role === 'service_role' ? { kind: 'service_access', on, role, ...unknownRows } : undefined;
    }
    case 'create_role':
    case 'alter_role':
      return change.attributes.bypassrls === true
        ? { kind: 'bypass', on: change.role, role: change.role, ...unknownRows }
        : undefined;
    default:
      return undefined;
  }
}

/**
 * Whether no policies apply to the relation: to a table without row-level security, to a relation that can't have
 * policies, or to a view that reads its tables as a role that bypasses them.
 */
async function isUnprotected(db: Queryable, schema: string, name: string): Promise<boolean> {
  const [row] = await db.query<{ unprotected: boolean }>(sql`
    select case when c.relkind in ('r', 'p') then not c.relrowsecurity
        when c.relkind = 'v' then (o.rolsuper or o.rolbypassrls) and not ${isInvokerView}
        else c.relkind in ('m', 'f') end as unprotected
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_roles o on o.oid = c.relowner
    where n.nspname = ${schema} and c.relname = ${name}`);
  return row?.unprotected === true;
}
