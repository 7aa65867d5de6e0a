import type { Clock } from '../../../base/kernel/clock.ts';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import { applyChanges, type WriteMigration } from '../schema/apply.ts';
import { readChoices } from './choices.ts';
import { comparePolicies } from './comparison/compare.ts';
import type { contract, Policy, SecuredRelation, SecuredTable } from './contract.ts';
import { type ListedRelation, listRelations, listRoles } from './queries.ts';
import { type PolicyChange, policyStatements, type TableName } from './statement.ts';

const actions = {
  create: 'policy.create',
  replace: 'policy.replace',
  drop: 'policy.drop',
  off: 'policy.turn-off',
  on: 'policy.turn-on',
  security: 'table.security',
} as const;

type ChangeCall = RouteCall<string, (typeof contract)['POST /policies']>;

/**
 * The maximum number of comparisons that run concurrently. Each comparison uses a connection for a few seconds, and all
 * pages share these connections.
 */
const maxComparisons = 2;

interface PolicyDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly writeMigration: WriteMigration;
}

export function policyRoutes(api: Api, { database, clock, audit, writeMigration }: PolicyDeps): void {
  const pool = database.pool('postgres');
  const kept = database.pool('supabase_admin');

  const route = api.feature(() => import('./contract.ts'));

  async function list(): Promise<{ tables: SecuredTable[]; others: SecuredRelation[] }> {
    const [relations, off] = await Promise.all([listRelations(pool), listTurnedOff(kept)]);
    const { tables, others } = divided(relations);
    return {
      tables: tables.map((table) => ({
        ...table,
        turnedOff: off
          .filter(({ schema, name }) => schema === table.schema && name === table.name)
          .map(({ policy }) => policy)
          // Omits a policy that has been turned off and then created again with SQL.
          .filter(({ name }) => !table.policies.some((policy) => policy.name === name)),
      })),
      others: others.map((relation) => ({ ...relation, turnedOff: [] })),
    };
  }

  const listTables = async (): Promise<SecuredTable[]> => (await list()).tables;

  /** Stores the definition of a policy. Locks the table first, so that the policy can't change before it is dropped. */
  async function keepDefinition(tx: Queryable, table: TableName, name: string): Promise<void> {
    await tx.query(sql`lock table ${sql.id(table.schema, table.name)} in access exclusive mode`);
    const known = tableIn(divided(await listRelations(tx)).tables, table);
    await keepPolicy(kept, table, policyIn(known.policies, known, name));
  }

  async function changeOf(call: ChangeCall) {
    const { schema, table, change, migration } = await call.body();
    const known = tableIn(await listTables(), { schema, name: table });
    const written: PolicyChange =
      change.kind === 'on'
        ? { kind: 'create', policy: policyIn(known.turnedOff, known, change.name) }
        : change;
    if (change.kind === 'off') policyIn(known.policies, known, change.name);
    return {
      schema,
      table,
      change,
      written,
      migration,
      statements: policyStatements({ schema, name: table }, written),
    };
  }

  route('GET /policies', 'read', async () => ({
    ...(await list()),
    roles: await listRoles(pool),
  }));
  route('GET /policies/:schema/:table/choices', 'read', ({ params }) =>
    readChoices(pool, params.schema, params.table),
  );
  route(
    'POST /policies/preview',
    'read',
    async (call) => ({ sql: (await changeOf(call)).statements.map((text) => `${text};`).join('\n\n') }),
    { changes: 'nothing' },
  );
  let comparisons = 0;
  route(
    'POST /policies/compare',
    'write',
    async (call) => {
      const { schema, table, written } = await changeOf(call);
      const { role } = call.operator;
      if (!may(role, permissionForRows(schema)))
        throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
      if (comparisons >= maxComparisons) throw new ConsoleError('busy', { waitSeconds: 1 });
      comparisons++;
      try {
        return await comparePolicies(database, {
          table: { schema, name: table },
          change: written,
          operator: role,
          nowMs: clock.now(),
        });
      } finally {
        comparisons--;
      }
    },
    { changes: 'nothing' },
  );
  route('POST /policies', 'write', async (call) => {
    const { schema, table, change, migration, statements } = await changeOf(call);
    const name = { schema, name: table };
    const file = await applyChanges(
      pool,
      statements,
      migration === undefined ? undefined : { name: migration, write: writeMigration },
      // The definition is stored before the policy is dropped, so that it isn't lost if the server stops in between.
      change.kind === 'off' ? { prepare: (tx) => keepDefinition(tx, name, change.name) } : {},
    );
    const what = 'policy' in change ? change.policy.name : 'name' in change ? change.name : '';
    // Deletes the stored definition of the policy with this name, because the change has made the definition obsolete.
    if (change.kind !== 'off' && what !== '') await forgetPolicy(kept, name, what);
    await audit(call, actions[change.kind], `${schema}.${table}`, {
      ...(what === '' ? {} : { policy: what }),
      sql: statements.join(';\n').slice(0, 4000),
      ...(file === undefined ? {} : { migration: file }),
    });
    return { tables: await listTables(), file: file ?? null };
  });
  route('POST /policies/forget', 'write', async (call) => {
    const { schema, table, name } = await call.body();
    if (!(await forgetPolicy(kept, { schema, name: table }, name)))
      throw new ConsoleError('not_found', { message: `The policy ${name} isn't turned off.` });
    await audit(call, 'policy.forget', `${schema}.${table}`, { policy: name });
    return { tables: await listTables() };
  });
}

type Listed = Omit<SecuredRelation, 'turnedOff'>;

/** Separates the tables whose policies operators can change from the other relations. */
function divided(relations: readonly ListedRelation[]): { tables: Listed[]; others: Listed[] } {
  const of = (expected: boolean): Listed[] =>
    relations
      .filter(({ mayHavePolicies }) => mayHavePolicies === expected)
      .map(({ mayHavePolicies: _known, ...relation }) => relation);
  return { tables: of(true), others: of(false) };
}

/** Returns the table. @throws {ConsoleError} not_found */
function tableIn<Table extends Listed>(tables: readonly Table[], { schema, name }: TableName): Table {
  const known = tables.find((each) => each.schema === schema && each.name === name);
  if (known === undefined)
    throw new ConsoleError('not_found', {
      message: `${schema}.${name} doesn't exist or can't have policies.`,
    });
  return known;
}

/** Returns a policy on the table. @throws {ConsoleError} not_found */
function policyIn(
  policies: SecuredTable['policies'],
  { schema, name }: TableName,
  policyName: string,
): SecuredTable['policies'][number] {
  const policy = policies.find((each) => each.name === policyName);
  if (policy === undefined)
    throw new ConsoleError('not_found', {
      message: `The policy ${policyName} doesn't exist on ${schema}.${name}.`,
    });
  return policy;
}

/**
 * Stores the definitions of policies that are turned off, because the only way to turn off a policy in PostgreSQL is to
 * drop it.
 */
interface TurnedOff extends TableName {
  readonly policy: Policy;
}

/**
 * Returns the stored policy definitions. Also deletes the definitions of policies whose table no longer exists. `db`
 * must be able to write to the schema `_plinth`.
 */
const listTurnedOff = (db: Queryable): Promise<TurnedOff[]> =>
  db.query<TurnedOff>(sql`
    with gone as (
      delete from _plinth.policies_off p where not exists (select from pg_class c where c.oid = p.table_id))
    select n.nspname as schema, c.relname as name, p.policy
    from _plinth.policies_off p join pg_class c on c.oid = p.table_id join pg_namespace n on n.oid = c.relnamespace
    order by n.nspname, c.relname, p.name`);

async function keepPolicy(db: Queryable, table: TableName, policy: Policy): Promise<void> {
  await db.query(sql`
    insert into _plinth.policies_off (table_id, name, policy)
    select ${tableId(table)}, ${policy.name}, ${policy}::jsonb
    on conflict (table_id, name) do update set policy = excluded.policy`);
}

/** Returns false if the table has no policy with this name that is turned off. */
async function forgetPolicy(db: Queryable, table: TableName, name: string): Promise<boolean> {
  const rows = await db.query(sql`
    delete from _plinth.policies_off where table_id = ${tableId(table)} and name = ${name} returning 1 as gone`);
  return rows.length > 0;
}

const tableId = ({ schema, name }: TableName): Sql =>
  sql`to_regclass(format('%I.%I', ${schema}::text, ${name}::text))`;
