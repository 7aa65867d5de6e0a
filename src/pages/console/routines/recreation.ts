/**
 * Prints the statements that drop a routine and create it again. PostgreSQL can't change the result or the parameters
 * of an existing routine.
 */
import { quoteIdentifier, quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { grantStatements } from '../core/grants.ts';
import type { RoutineFacts } from './queries.ts';

export async function recreationOf(db: Queryable, routine: RoutineFacts, source: string): Promise<string> {
  const { kind, schema, name, types, owner, comment, grants } = routine;
  const object = `${kind === 'procedure' ? 'procedure' : 'function'} ${quoteIdentifier(schema)}.${quoteIdentifier(name)}(${types
    .map((type) => `${quoteIdentifier(type.schema)}.${quoteIdentifier(type.name)}`)
    .join(', ')})`;
  const initial = await initialRoles(db, schema);
  return [
    `drop ${object}`,
    source,
    ...(owner === 'postgres' ? [] : [`alter ${object} owner to ${quoteIdentifier(owner)}`]),
    ...grantStatements(
      object,
      grants
        .filter(({ role }) => role !== owner)
        .map(({ role, grantable }) => ({ role, grantable, privilege: 'execute' })),
      initial,
    ),
    ...(comment === null ? [] : [`comment on ${object} is ${quoteLiteral(comment)}`]),
  ]
    .map((statement) => `${statement};`)
    .join('\n\n');
}

/** Lists the roles that may call a new function of `postgres`, by PostgreSQL's and by the schema's default privileges. */
async function initialRoles(db: Queryable, schema: string): Promise<string[]> {
  const rows = await db.query<{ role: string }>(sql`
    select distinct case g.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(g.grantee) end as role
    from pg_catalog.pg_default_acl d, pg_catalog.aclexplode(d.defaclacl) g
    where d.defaclobjtype = 'f' and d.defaclrole = 'postgres'::regrole and g.grantee <> d.defaclrole
      and d.defaclnamespace in (0, coalesce(pg_catalog.to_regnamespace(pg_catalog.quote_ident(${schema})), 0::oid))
    order by 1`);
  return [...new Set(['public', ...rows.map(({ role }) => role)])];
}
