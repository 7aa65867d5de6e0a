/**
 * Compares which rows real users can access before and after a change of policies. The conditions are evaluated for the
 * table's rows, each time as the user's role. The change isn't made, so no other request has to wait for a lock.
 */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Database, Queryable, Setting, Transaction } from '../../../../platform/database/types.ts';
import type { OperatorRole } from '../../core/roles.ts';
import { ConsoleError } from '../../errors.ts';
import { databaseRoleOf, type Identity, identify, listRecentUsers } from '../../persona/act.ts';
import type { Persona } from '../../persona/persona.ts';
import type { Operation } from '../../why/contract.ts';
import { allows, type Rules } from '../../why/core/access.ts';
import { findRelation, findSecurity, listPolicies, type RelationFacts } from '../../why/facts.ts';
import { privilegesOf } from '../../why/privileges.ts';
import { messageOf } from '../../why/scope.ts';
import { inSession, inSessionAs } from '../../why/session.ts';
import type { ComparedAccess, ComparedUser, PolicyComparison } from '../contract.ts';
import type { PolicyChange, TableName } from '../statement.ts';
import { affectedBy, changedPolicies } from './changed-policies.ts';
import { readComparedRows } from './rows.ts';

const maxUsers = 25;
const shownKeys = 5;
/** When this time has passed, the remaining users aren't compared. */
const budgetMs = 8000;
const timeout: Setting = ['statement_timeout', '4000'];

interface Comparison {
  readonly table: TableName;
  readonly change: PolicyChange;
  readonly operator: OperatorRole;
  readonly nowMs: number;
}

/** @throws {ConsoleError} not_found if the table doesn't exist */
export async function comparePolicies(
  database: Database,
  { table, change, operator, nowMs }: Comparison,
): Promise<PolicyComparison> {
  const db = database.pool('postgres');
  const relation = await findRelation(db, table);
  if (relation === undefined)
    throw new ConsoleError('not_found', { message: `${table.schema}.${table.name} doesn't exist.` });
  const { rows, allRows } = await inSession(
    database.pool(databaseRoleOf(operator)),
    (tx) => readComparedRows(tx, relation),
    { end: 'rollback', readOnly: true, settings: [timeout] },
  );
  const recent = await listRecentUsers(db, maxUsers);
  const personas: Persona[] = [{ kind: 'anon' }, ...recent.ids.map((id) => ({ kind: 'user', id }) as const)];
  const compared: ComparedUser[] = [];
  const questions = new Map<string, Promise<Question>>();
  const end = performance.now() + budgetMs;
  for (const persona of personas) {
    if (performance.now() > end) break;
    const identity = await identify(db, persona, nowMs, operator);
    const { role } = identity;
    const asked = questions.get(role) ?? questionFor(db, { relation, change, role });
    questions.set(role, asked);
    compared.push({
      id: persona.kind === 'user' ? persona.id : null,
      name: identity.name,
      ...(await compareFor(database, { relation, rows, question: await asked, identity })),
    });
  }
  return { users: compared, allUsers: recent.count, rows: rows.length, allRows };
}

/** What is evaluated for the users with the same role. */
interface Question {
  /** The kinds of access for which the role has the privilege. */
  readonly accesses: readonly { readonly access: Operation; readonly before: Sql; readonly after: Sql }[];
}

async function questionFor(
  db: Queryable,
  {
    relation,
    change,
    role,
  }: { readonly relation: RelationFacts; readonly change: PolicyChange; readonly role: string },
): Promise<Question> {
  const policies = await listPolicies(db, relation.oid, role);
  const roles = 'policy' in change ? change.policy.roles : [];
  const changed = changedPolicies(change, policies, await holdsAny(db, role, roles));
  const { rls, forced } =
    change.kind === 'security' ? { rls: change.enabled, forced: change.forced } : relation;
  const isSecured = async (facts: RelationFacts): Promise<boolean> =>
    (await findSecurity(db, facts, role)) === 'on';
  const before: Rules = { isSecured: await isSecured(relation), policies };
  const after: Rules = { isSecured: await isSecured({ ...relation, rls, forced }), policies: changed };
  const privileges = await privilegesOf(db, relation, role);
  return {
    accesses: affectedBy(change, policies)
      .filter((access) => privileges[access])
      .map((access) => ({ access, before: allows(before, access), after: allows(after, access) })),
  };
}

/** Whether the role is one of the roles, or inherits the privileges of one of them. */
async function holdsAny(db: Queryable, role: string, roles: readonly string[]): Promise<boolean> {
  const [row] = await db.query<{ holds: boolean }>(sql`
    select 'public' = any (${roles}::text[]) or exists (
      select from pg_roles own, pg_roles r
      where own.rolname = ${role} and r.rolname = any (${roles}::text[]) and pg_has_role(own.oid, r.oid, 'usage')) as holds`);
  return row?.holds === true;
}

async function compareFor(
  database: Database,
  {
    relation,
    rows,
    question,
    identity,
  }: {
    readonly relation: RelationFacts;
    readonly rows: readonly string[];
    readonly question: Question;
    readonly identity: Identity;
  },
): Promise<Pick<ComparedUser, 'accesses' | 'error'>> {
  if (question.accesses.length === 0) return { accesses: [], error: null };
  try {
    const [row] = await inSessionAs(
      database,
      { identity, role: identity.role },
      (tx) => countsOf(tx, relation, { rows, question }),
      { end: 'rollback', readOnly: true, settings: [timeout] },
    );
    return {
      accesses: question.accesses.map(({ access }) => ({ access, ...(row?.[access] as Counts) })),
      error: null,
    };
  } catch (error) {
    return { accesses: [], error: messageOf(error) };
  }
}

type Counts = Omit<ComparedAccess, 'access'>;

function countsOf(
  tx: Transaction,
  relation: RelationFacts,
  { rows, question }: { readonly rows: readonly string[]; readonly question: Question },
): Promise<Partial<Record<Operation, Counts>>[]> {
  const alias = sql.id(relation.name);
  const keys = relation.columns
    .filter(({ key }) => key)
    .map(({ name }) => sql`${alias}.${sql.id(name)}::text`);
  const key = keys.length === 0 ? sql`null::text` : sql`concat_ws(', ', ${sql.join(keys)})`;
  const truths = question.accesses.map(
    ({ before, after }, index) =>
      sql`${before} as ${sql.id(`before${index}`)}, ${after} as ${sql.id(`after${index}`)}`,
  );
  const counts = question.accesses.map(({ access }, index) => {
    const [old, now] = [sql.id('s', `before${index}`), sql.id('s', `after${index}`)];
    const first = (condition: Sql): Sql =>
      sql`coalesce(to_json((array_agg(s.key order by s.number) filter (where s.key is not null and ${condition}))[1:${sql.raw(String(shownKeys))}]), '[]')`;
    return sql`json_build_object(
      'before', count(*) filter (where ${old}), 'after', count(*) filter (where ${now}),
      'gained', count(*) filter (where ${now} and not ${old}), 'lost', count(*) filter (where ${old} and not ${now}),
      'gainedKeys', ${first(sql`${now} and not ${old}`)}, 'lostKeys', ${first(sql`${old} and not ${now}`)}) as ${sql.id(access)}`;
  });
  // The alias and the row type are those of the table, because conditions can refer to the table and to whole rows.
  return tx.query<Partial<Record<Operation, Counts>>>(sql`
    select ${sql.join(counts)} from (
      select row_number() over () as number, ${key} as key, ${sql.join(truths)}
      from unnest(${rows}::text[]::${sql.id(relation.schema, relation.name)}[]) as ${alias}) s`);
}
