/**
 * Channels: a token to join as somebody, and why an event may not arrive. The page itself speaks to the realtime
 * service, as any client does.
 */
import type { Database } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Keys } from '../../keys/types.ts';
import type { Audit } from '../audit.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { mintToken } from '../persona/token.ts';
import { type Api, parse } from '../routes/api.ts';
import { judgeTable, judgeTopic } from './core.ts';
import { publishedTables, tableFacts, topicRights } from './queries.ts';

export interface RealtimeDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly audit: Audit;
}

const tokenSeconds = 10 * 60;

export function realtimeRoutes(api: Api, { database, keys, clock, audit }: RealtimeDeps): void {
  const db = database.pool('supabase_admin');

  api.route('GET', '/realtime', 'read', async () => ({
    apikey: keys.publishableKey,
    tables: await publishedTables(db),
  }));
  // Nobody needs a token for anon: the publishable key is one.
  api.route('POST', '/realtime/token', 'write', async (call) => {
    const { as } = await parse('channelToken', call.request.body);
    const identity = await identify(db, parsePersona(as), clock.now());
    const token = await mintToken(db, (claims) => keys.sign(claims), identity, clock.now(), tokenSeconds);
    await audit(call, 'realtime.join', identity.name, { role: identity.role });
    return token;
  });
  api.route('GET', '/realtime/checks', 'read', async ({ request }) => {
    const { as, private: isPrivate, schema, table } = await parse('channelChecks', request.query);
    const persona = parsePersona(as);
    const { role } = await identify(
      db,
      persona.kind === 'operator' ? { kind: 'anon' } : persona,
      clock.now(),
    );
    const topic = judgeTopic(isPrivate === '1', await topicRights(db, role));
    if (schema === '') return { role, topic, table: [] };
    if (table === '' || table === '*') {
      const published = (await publishedTables(db)).filter(
        (each) => schema === '*' || each.schema === schema,
      );
      return {
        role,
        topic,
        table: published.length > 0 ? [] : [{ code: 'nothing-published', weight: 'stops' }],
      };
    }
    return { role, topic, table: judgeTable(await tableFacts(db, { schema, table }, role)) };
  });
}
