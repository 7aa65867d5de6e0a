/** Lists the privileges that a statement requires, and the GRANT statements for these privileges. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Need, Operation } from './contract.ts';
import type { Policy } from './core/gates.ts';
import type { RelationFacts } from './facts.ts';

export interface Use {
  readonly privilege: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';
  /** The columns that the statement uses. Empty for DELETE. */
  readonly columns: readonly string[];
}

/**
 * Returns which columns the statement reads and which it writes. `returned` contains the columns in the SELECT list or
 * in RETURNING.
 */
export function usesOf(
  operation: Operation,
  given: {
    readonly keys: readonly string[];
    readonly written: readonly string[];
    readonly returned: readonly string[];
  },
): Use[] {
  const { keys, written, returned } = given;
  const read = [...new Set([...(operation === 'insert' ? [] : keys), ...returned])];
  const reads: Use[] = read.length > 0 ? [{ privilege: 'SELECT', columns: read }] : [];
  switch (operation) {
    case 'select':
      return reads;
    case 'insert':
      return [{ privilege: 'INSERT', columns: written }, ...reads];
    case 'update':
      return [{ privilege: 'UPDATE', columns: written }, ...reads];
    case 'delete':
      return [{ privilege: 'DELETE', columns: [] }, ...reads];
  }
}

export interface StatementNeeds {
  readonly uses: readonly Use[];
  readonly inserts?: boolean;
  readonly policies?: readonly Policy[];
}

/** Lists the privileges that the statement requires. The role must exist. */
export async function listNeeds(
  db: Queryable,
  relation: RelationFacts,
  role: string,
  { uses, inserts = false, policies = [] }: StatementNeeds,
): Promise<Need[]> {
  const [names] = await db.query<{ held: boolean; schema: string; table: string; to: string }>(sql`
    select has_schema_privilege(${role}::name, ${relation.schema}::text, 'usage') as held,
      quote_ident(${relation.schema}) as schema, quote_ident(${role}) as to,
      quote_ident(${relation.schema}) || '.' || quote_ident(${relation.name}) as table`);
  const { held = false, schema = '', table = '', to = '' } = names ?? {};
  const needs: Need[] = [
    {
      kind: 'schema',
      name: schema,
      privilege: 'USAGE',
      held,
      fix: `grant usage on schema ${schema} to ${to};`,
    },
  ];
  for (const { privilege, columns } of uses) needs.push(await tableNeed(privilege, columns));
  if (inserts) needs.push(...(await sequenceNeeds()));
  const functions = policies.filter(({ applies }) => applies).flatMap((policy) => policy.functions);
  for (const { name, mayExecute } of new Map(functions.map((each) => [each.name, each])).values()) {
    if (mayExecute) continue;
    needs.push({
      kind: 'function',
      name,
      privilege: 'EXECUTE',
      held: false,
      fix: `grant execute on function ${name} to ${to};`,
    });
  }
  return needs;

  async function tableNeed(privilege: Use['privilege'], columns: readonly string[]): Promise<Need> {
    const [row] = await db.query<{ whole: boolean; any: boolean; missing: string[] }>(sql`
      select has_table_privilege(${role}::name, ${relation.oid}::oid, ${privilege}) as whole,
        ${privilege !== 'DELETE'}::boolean and has_any_column_privilege(${role}::name, ${relation.oid}::oid,
          case when ${privilege} = 'DELETE' then 'SELECT' else ${privilege} end) as any,
        (select coalesce(json_agg(quote_ident(a.attname) order by a.attnum), '[]') from pg_attribute a
          where a.attrelid = ${relation.oid}::oid and a.attname = any (${columns}::text[])
            and ${privilege !== 'DELETE'}::boolean and not has_column_privilege(${role}::name, ${relation.oid}::oid, a.attnum,
              case when ${privilege} = 'DELETE' then 'SELECT' else ${privilege} end)) as missing`);
    const { whole = false, any = false, missing = [] } = row ?? {};
    const held = whole || (privilege !== 'DELETE' && any && missing.length === 0);
    const isByColumn = !whole && any;
    const list = missing.join(', ');
    return {
      kind: isByColumn ? 'columns' : 'table',
      name: isByColumn && missing.length > 0 ? `${table} (${list})` : table,
      privilege,
      held,
      fix: `grant ${privilege.toLowerCase()}${isByColumn && missing.length > 0 ? ` (${list})` : ''} on ${table} to ${to};`,
    };
  }

  /**
   * Returns the sequence privileges that are required to insert a row without a value for a column whose default uses a
   * sequence. For identity columns, these privileges aren't required.
   */
  async function sequenceNeeds(): Promise<Need[]> {
    const given = uses.find(({ privilege }) => privilege === 'INSERT')?.columns ?? [];
    const rows = await db.query<{ name: string; held: boolean }>(sql`
      select distinct s.oid::regclass::text as name, has_sequence_privilege(${role}::name, s.oid, 'usage, update') as held
      from set_config('search_path', '', true), pg_attrdef d
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attname <> all (${given}::text[])
      join pg_depend e on e.classid = 'pg_attrdef'::regclass and e.objid = d.oid and e.refclassid = 'pg_class'::regclass
      join pg_class s on s.oid = e.refobjid and s.relkind = 'S'
      where d.adrelid = ${relation.oid}::oid`);
    return rows.map(({ name, held }) => ({
      kind: 'sequence',
      name,
      privilege: 'USAGE',
      held,
      fix: `grant usage on sequence ${name} to ${to};`,
    }));
  }
}
