/** The route that explains a persona's access to a row for an operation. */
import type { Database } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import type { Api, RouteCall } from '../routes/api.ts';
import type { contract } from './contract.ts';
import { pgTapTest } from './pgtap.ts';
import { why } from './why.ts';

/**
 * The maximum number of concurrent explanations. Each can use several connections for seconds, and all pages share
 * these connections.
 */
const maxAtOnce = 3;

export function whyRoutes(api: Api, database: Database, clock: Clock): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));

  let running = 0;

  type AskCall = RouteCall<string, (typeof contract)['POST /why']>;

  async function ask(call: AskCall) {
    if (running >= maxAtOnce) throw new ConsoleError('busy', { waitSeconds: 1 });
    running++;
    try {
      return await explained(call);
    } finally {
      running--;
    }
  }

  async function explained(call: AskCall) {
    const { schema, table, as, operation, key, values, returned } = await call.body();
    const { role } = call.operator;
    if (!may(role, permissionForRows(schema)))
      throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
    // A write actually runs, and effects of triggers and sequences outside the transaction can't be rolled back.
    if (operation !== 'select' && !may(role, 'write'))
      throw new ConsoleError('forbidden', { message: 'Your role can only explain reads.' });
    const persona = parsePersona(as);
    const identity = await identify(db, persona, clock.now(), role);
    const statement = { operation, key, values, returned };
    const report = await why(database, db, {
      name: { schema, name: table },
      statement,
      identity,
      mayRead: (behind) => may(role, permissionForRows(behind)),
    });
    return { report, asked: statement, identity };
  }

  route('POST /why', 'read', async (call) => (await ask(call)).report, {
    changes: 'nothing',
  });
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
