/** Determines who can access a row: requests without a signed-in user, and the users who signed in most recently. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Database, Queryable, Setting, Transaction } from '../../../platform/database/types.ts';
import type { OperatorRole } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { databaseRoleOf, type Identity, identify, listRecentUsers } from '../persona/act.ts';
import type { Persona } from '../persona/persona.ts';
import type { Everyone, Operation, Security, UserAccess } from './contract.ts';
import { allows, truthOf } from './core/access.ts';
import { concerns, type Policy } from './core/gates.ts';
import { findRelation, findSecurity, listPolicies, type RelationFacts } from './facts.ts';
import { privilegesOf } from './privileges.ts';
import { messageOf } from './scope.ts';
import { inSession, inSessionAs } from './session.ts';
import { aliasOf, type Cells, keyCondition } from './statement.ts';

const maxUsers = 100;
/** When this time has passed, the remaining users are left out. */
const budgetMs = 8000;
const timeout: Setting = ['statement_timeout', '3000'];

const operations = ['select', 'update', 'delete'] as const;
const none = { select: false, update: false, delete: false };

interface EveryoneQuestion {
  readonly table: { readonly schema: string; readonly name: string };
  readonly key: Cells;
  readonly operator: OperatorRole;
  readonly nowMs: number;
}

/** @throws {ConsoleError} not_found, bad_request */
export async function everyoneWithAccess(
  database: Database,
  { table, key, operator, nowMs }: EveryoneQuestion,
): Promise<Everyone> {
  const db = database.pool('postgres');
  const relation = await findRelation(db, table);
  if (relation === undefined || relation.kind !== 'table')
    throw new ConsoleError('not_found', {
      message: `The table ${table.schema}.${table.name} doesn't exist.`,
    });
  if (Object.keys(key).length === 0)
    throw new ConsoleError('bad_request', { message: "key: The row's key is missing." });
  const unknown = Object.keys(key).find((name) => !relation.columns.some((column) => column.name === name));
  if (unknown !== undefined)
    throw new ConsoleError('bad_request', { message: `key: The table doesn't have the column ${unknown}.` });
  const row = await inSession(database.pool(databaseRoleOf(operator)), (tx) => findRow(tx, relation, key), {
    end: 'rollback',
    readOnly: true,
    settings: [timeout],
  });
  if (row === undefined) throw new ConsoleError('not_found', { message: 'This row no longer exists.' });
  const recent = await listRecentUsers(db, maxUsers);
  const personas: Persona[] = [{ kind: 'anon' }, ...recent.ids.map((id) => ({ kind: 'user', id }) as const)];
  const users: UserAccess[] = [];
  const facts = new Map<string, Promise<RoleFacts>>();
  const end = performance.now() + budgetMs;
  for (const persona of personas) {
    if (performance.now() > end) break;
    const identity = await identify(db, persona, nowMs, operator);
    const ofRole = facts.get(identity.role) ?? readRoleFacts(db, relation, identity.role);
    facts.set(identity.role, ofRole);
    users.push({
      id: persona.kind === 'user' ? persona.id : null,
      name: identity.name,
      ...(await accessOf(database, { relation, row, identity, facts: await ofRole })),
    });
  }
  return { users, allUsers: recent.count };
}

async function findRow(tx: Transaction, relation: RelationFacts, key: Cells): Promise<string | undefined> {
  const alias = aliasOf(relation);
  const [row] = await tx.query<{ composite: string }>(sql`
    select ${alias}::text as composite from ${sql.id(relation.schema, relation.name)} ${alias}
    where ${keyCondition(key, alias)} limit 1`);
  return row?.composite;
}

interface RoleFacts {
  readonly policies: readonly Policy[];
  readonly security: Security;
  readonly privileges: Readonly<Record<Operation, boolean>>;
}

async function readRoleFacts(db: Queryable, relation: RelationFacts, role: string): Promise<RoleFacts> {
  return {
    policies: await listPolicies(db, relation.oid, role),
    security: (await findSecurity(db, relation, role)) ?? 'on',
    privileges: await privilegesOf(db, relation, role),
  };
}

interface Evaluated {
  readonly allowed: UserAccess['allowed'];
  /** Whether each policy for SELECT allows the row. */
  readonly truths: readonly boolean[];
}

async function accessOf(
  database: Database,
  {
    relation,
    row,
    identity,
    facts,
  }: {
    readonly relation: RelationFacts;
    readonly row: string;
    readonly identity: Identity;
    readonly facts: RoleFacts;
  },
): Promise<Omit<UserAccess, 'id' | 'name'>> {
  const { security, privileges } = facts;
  const result = { security, holdsSelect: privileges.select, allowedBy: [], hiddenBy: [], error: null };
  // Updating or deleting a row by its key requires the privilege to select the key.
  if (!privileges.select) return { ...result, allowed: none };
  const reading = facts.policies.filter((policy) => policy.applies && concerns(policy, 'select'));
  try {
    const [found] = await inSessionAs(
      database,
      { identity, role: identity.role },
      (tx) => evaluate(tx, relation, { row, facts, reading }),
      { end: 'rollback', readOnly: true, settings: [timeout] },
    );
    const { allowed = none, truths = [] } = found ?? {};
    const named = (isPermissive: boolean, truth: boolean): string[] =>
      security !== 'on'
        ? []
        : reading
            .filter((policy, index) => policy.permissive === isPermissive && truths[index] === truth)
            .map(({ name }) => name);
    return {
      ...result,
      allowed: {
        select: allowed.select,
        update: privileges.update && allowed.update,
        delete: privileges.delete && allowed.delete,
      },
      allowedBy: named(true, true),
      hiddenBy: named(false, false),
    };
  } catch (error) {
    return { ...result, allowed: none, error: messageOf(error) };
  }
}

function evaluate(
  tx: Transaction,
  relation: RelationFacts,
  {
    row,
    facts,
    reading,
  }: { readonly row: string; readonly facts: RoleFacts; readonly reading: readonly Policy[] },
): Promise<Evaluated[]> {
  const rules = { isSecured: facts.security === 'on', policies: facts.policies };
  const allowed = operations.map((operation) => sql`${operation}::text, ${allows(rules, operation)}`);
  const truths = reading.map((policy) => truthOf(policy, 'using'));
  return tx.query<Evaluated>(sql`
    select json_build_object(${sql.join(allowed)}) as allowed, json_build_array(${sql.join(truths)}) as truths
    from unnest(array[${row}::${sql.id(relation.schema, relation.name)}]) as ${sql.id(relation.name)}`);
}
