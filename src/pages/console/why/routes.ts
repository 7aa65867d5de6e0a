/** The routes that explain whether and why a persona may perform an operation on a row, and list who can access it. */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import type { contract } from './contract.ts';
import { everyoneWithAccess } from './everyone.ts';
import { pgTapTest } from './pgtap.ts';
import { why } from './why.ts';

/**
 * The maximum number of explanations that are computed concurrently. Each explanation can use several connections for a
 * few seconds, and all pages share these connections.
 */
const maxAtOnce = 3;

export interface WhyDeps {
  readonly database: Database;
  readonly clock: Clock;
}

export function whyRoutes(api: Api, { database, clock }: WhyDeps): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));

  let running = 0;

  type AskCall = RouteCall<string, (typeof contract)['POST /why']>;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxAtOnce) throw new ConsoleError('busy', { waitSeconds: 1 });
    running++;
    try {
      return await work();
    } finally {
      running--;
    }
  }

  const ask = (call: AskCall) => limited(() => explained(call));

  async function explained(call: AskCall) {
    const { schema, table, as, operation, key, values, unchanged, returned } = await call.body();
    const { role } = call.operator;
    if (!may(role, permissionForRows(schema)))
      throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
    // For a write, the statement actually runs. The effects of triggers and sequences outside the transaction can't be
    // rolled back.
    if (operation !== 'select' && !may(role, 'write'))
      throw new ConsoleError('forbidden', { message: 'Your role can only explain reads.' });
    const persona = parsePersona(as);
    const identity = await identify(db, persona, clock.now(), role);
    const { report, statement } = await why(database, db, {
      name: { schema, name: table },
      statement: { operation, key, values, returned },
      unchanged,
      identity,
      mayRead: (behind) => may(role, permissionForRows(behind)),
    });
    return { report, asked: statement, identity };
  }

  route('POST /why', 'read', async (call) => (await ask(call)).report, {
    changes: 'nothing',
  });
  async function everyone(call: RouteCall<string, (typeof contract)['POST /why/everyone']>) {
    const { schema, table, key } = await call.body();
    const { role } = call.operator;
    if (!may(role, permissionForRows(schema)))
      throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
    return everyoneWithAccess(database, {
      table: { schema, name: table },
      key,
      operator: role,
      nowMs: clock.now(),
    });
  }
  route('POST /why/everyone', 'read', (call) => limited(() => everyone(call)), { changes: 'nothing' });
  route(
    'POST /why/pgtap',
    'read',
    async (call) => {
      const { report, asked: statement, identity } = await ask(call);
      return { text: pgTapTest(report, statement, identity) };
    },
    { changes: 'nothing' },
  );
}
