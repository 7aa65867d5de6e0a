/**
 * Checks that the changes of privileges have had an effect. PostgreSQL only warns if a role can't grant a privilege, and
 * REVOKE doesn't even warn if another role granted the privilege.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { aclOf, argumentTypes } from '../access/acl.ts';
import { ConsoleError } from '../errors.ts';
import { type AccessChange, type GrantTarget, isAccessChange } from './access-changes.ts';
import type { SchemaChange } from './changes.ts';

interface Entry {
  /** Null for a privilege on the whole object. */
  readonly column: string | null;
  readonly role: string;
  readonly privilege: string;
  readonly grantor: string;
  /** Whether the role can grant the privilege to others. */
  readonly grantable: boolean;
}

type GrantChange = Extract<AccessChange, { kind: 'grant' | 'revoke' }>;

const isGrantChange = (change: SchemaChange): change is GrantChange =>
  isAccessChange(change) && (change.kind === 'grant' || change.kind === 'revoke');

/** @throws {ConsoleError} refused if a privilege hasn't been granted or revoked */
export async function checkGrants(tx: Queryable, changes: readonly SchemaChange[]): Promise<void> {
  const byTarget = Map.groupBy(changes.filter(isGrantChange), ({ target }) => JSON.stringify(target));
  for (const changesOfTarget of byTarget.values()) {
    const [{ target }] = changesOfTarget as [GrantChange];
    const entries = await readEntries(tx, target);
    for (const { expected, grantable, column, role, privilege } of expectations(changesOfTarget)) {
      const found = entries.find((each) => isSame(each, { column, role, privilege }));
      const isAsExpected =
        grantable === undefined
          ? (found !== undefined) === expected
          : entries.some((each) => isSame(each, { column, role, privilege }) && each.grantable) === grantable;
      if (isAsExpected) continue;
      throw new ConsoleError('refused', { message: messageOf({ target, role, privilege, found }) });
    }
  }
}

const isSame = (
  entry: Entry,
  { column, role, privilege }: Pick<Entry, 'column' | 'role' | 'privilege'>,
): boolean => entry.column === column && entry.role === role && entry.privilege === privilege;

interface Expectation {
  readonly expected: boolean;
  /** Whether the role can grant the privilege to others. Undefined if the change doesn't concern this right. */
  readonly grantable: boolean | undefined;
  readonly column: string | null;
  readonly role: string;
  readonly privilege: string;
}

/** The last change of a privilege decides. Revoking a privilege on a table also revokes it on all columns. */
function expectations(changes: readonly GrantChange[]): Iterable<Expectation> {
  const expected = new Map<string, Expectation>();
  for (const { kind, role, privileges, columns, grantOption } of changes) {
    for (const privilege of privileges) {
      for (const column of columns ?? [null]) {
        const key = JSON.stringify([column, role, privilege]);
        const isGrant = kind === 'grant';
        expected.set(key, {
          expected: isGrant || grantOption === true,
          grantable: grantOption === true ? isGrant : undefined,
          ...{ column, role, privilege },
        });
      }
    }
  }
  return expected.values();
}

function messageOf({
  target,
  role,
  privilege,
  found,
}: {
  target: GrantTarget;
  role: string;
  privilege: string;
  found: Entry | undefined;
}): string {
  const on = target.type === 'schema' ? target.name : `${target.schema}.${target.name}`;
  return found === undefined
    ? `PostgreSQL didn't grant ${privilege} on ${on} to ${role}, because postgres isn't allowed to grant it. Nothing was changed.`
    : `${role} still has ${privilege} on ${on}, because ${found.grantor} granted it. Only ${found.grantor} can revoke it. Nothing was changed.`;
}

async function readEntries(db: Queryable, target: GrantTarget): Promise<Entry[]> {
  const fields = sql`
    case when x.grantee = 0 then 'public' else pg_catalog.pg_get_userbyid(x.grantee) end as role,
    pg_catalog.lower(x.privilege_type) as privilege, pg_catalog.pg_get_userbyid(x.grantor) as grantor,
    x.is_grantable as grantable`;
  if (target.type === 'schema')
    return db.query<Entry>(sql`
      select null::text as column, ${fields} from pg_catalog.pg_namespace n
      cross join pg_catalog.aclexplode(${aclOf(sql`n.nspacl`, sql`'n'`, sql`n.nspowner`)}) x
      where n.nspname = ${target.name}`);
  if (target.type === 'table' || target.type === 'sequence') {
    const kind = target.type === 'table' ? sql`'r'` : sql`'s'`;
    const relation = sql`pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace`;
    return db.query<Entry>(sql`
      select null::text as column, ${fields} from ${relation}
      cross join pg_catalog.aclexplode(${aclOf(sql`c.relacl`, kind, sql`c.relowner`)}) x
      where n.nspname = ${target.schema} and c.relname = ${target.name}
      union all
      select a.attname::text, ${fields} from ${relation}
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      cross join pg_catalog.aclexplode(a.attacl) x
      where n.nspname = ${target.schema} and c.relname = ${target.name}`);
  }
  const types = target.arguments.map(({ schema, name }) => `${schema}.${name}`);
  return db.query<Entry>(sql`
    select null::text as column, ${fields} from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    cross join pg_catalog.aclexplode(${aclOf(sql`p.proacl`, sql`'f'`, sql`p.proowner`)}) x
    where n.nspname = ${target.schema} and p.proname = ${target.name} and ${argumentTypes} = ${types}::text[]`);
}
