/** The routes that explain policies for a row, a persona and an operation. */
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

export function whyRoutes(api: Api, database: Database, clock: Clock): void {
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));

  async function ask(call: RouteCall<string, (typeof contract)['POST /why']>) {
    const { schema, table, as, operation, key, values, returned } = await call.body();
    const { role } = call.operator;
    if (!may(role, permissionForRows(schema)))
      throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
    // A write is tried, and effects of triggers and sequences outside of transactions aren't rolled back.
    if (operation !== 'select' && !may(role, 'write'))
      throw new ConsoleError('forbidden', { message: 'Your role can explain reads only.' });
    const persona = parsePersona(as);
    const identity = await identify(db, persona, clock.now(), role);
    const asked = { operation, key, values, returned };
    const answer = await why(database, db, {
      name: { schema, name: table },
      asked,
      identity,
      mayRead: (behind) => may(role, permissionForRows(behind)),
    });
    return { answer, asked, identity };
  }

  route('POST /why', 'read', async (call) => (await ask(call)).answer, {
    changes: 'nothing',
  });
  route(
    'POST /why/pgtap',
    'read',
    async (call) => {
      const { answer, asked, identity } = await ask(call);
      return { text: pgTapTest(answer, asked, identity) };
    },
    { changes: 'nothing' },
  );
}
