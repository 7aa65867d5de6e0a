import type { Database } from '../../database/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import { applyChanges, type WriteMigration } from '../schema/apply.ts';
import { readChoices } from './choices.ts';
import type { contract } from './contract.ts';
import { listRoles, listSecuredTables } from './queries.ts';
import { policyStatements } from './statement.ts';

const actions = {
  create: 'policy.create',
  replace: 'policy.replace',
  drop: 'policy.drop',
  security: 'table.security',
} as const;

type ChangeCall = RouteCall<string, (typeof contract)['POST /policies']>;

export function policyRoutes(
  api: Api,
  database: Database,
  audit: Audit,
  writeMigration: WriteMigration,
): void {
  const pool = database.pool('postgres');

  const route = api.feature(() => import('./contract.ts'));

  async function changeOf(call: ChangeCall) {
    const { schema, table, change, migration } = await call.body();
    const known = (await listSecuredTables(pool)).find(
      (each) => each.schema === schema && each.name === table,
    );
    if (known === undefined)
      throw new ConsoleError('not_found', {
        message: `${schema}.${table} doesn't exist or can't have policies.`,
      });
    return {
      schema,
      table,
      change,
      migration,
      statements: policyStatements({ schema, name: table }, change),
    };
  }

  route('GET /policies', 'read', async () => ({
    tables: await listSecuredTables(pool),
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
  route('POST /policies', 'write', async (call) => {
    const { schema, table, change, migration, statements } = await changeOf(call);
    const file = await applyChanges(
      pool,
      statements,
      migration === undefined ? undefined : { name: migration, write: writeMigration },
    );
    const what =
      change.kind === 'create' || change.kind === 'replace'
        ? change.policy.name
        : change.kind === 'drop'
          ? change.name
          : '';
    await audit(call, actions[change.kind], `${schema}.${table}`, {
      ...(what === '' ? {} : { policy: what }),
      sql: statements.join(';\n').slice(0, 4000),
      ...(file === undefined ? {} : { migration: file }),
    });
    return { tables: await listSecuredTables(pool), file: file ?? null };
  });
}
