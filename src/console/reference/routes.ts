/** The API page: requests to REST in somebody's name, as an app would send them, and the types of the database. */

import type { Config } from '../../config/index.ts';
import { generateTypes } from '../../database/index.ts';
import type { Database } from '../../database/types.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Keys } from '../../keys/types.ts';
import type { Audit } from '../audit.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { mintToken } from '../persona/token.ts';
import { type Api, parseAs } from '../routes/api.ts';

export interface ReferenceDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly clock: Clock;
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly audit: Audit;
}

const tokenSeconds = 60;
const shownChars = 100_000;

export function referenceRoutes(api: Api, deps: ReferenceDeps): void {
  const { database, keys, config, clock, internalFetch, audit } = deps;
  const db = database.pool('supabase_admin');

  async function authorizationOf(as: string | undefined): Promise<string> {
    const persona = parsePersona(as);
    if (persona.kind === 'operator') return `Bearer ${keys.serviceRoleKey}`;
    if (persona.kind === 'anon') return `Bearer ${keys.anonKey}`;
    const identity = await identify(db, persona, clock.now());
    const { token } = await mintToken(db, (claims) => keys.sign(claims), identity, clock.now(), tokenSeconds);
    return `Bearer ${token}`;
  }

  // Whoever may run it could write: a function that is asked with GET may be volatile, too.
  api.route('POST', '/reference/try', 'write', async (call) => {
    const { as, method, path, body } = await parseAs((await import('./schemas.ts')).trial, call.request.body);
    const authorization = await authorizationOf(as);
    await audit(call, 'api.try', path.split('?', 1)[0] ?? path, { method, as: parsePersona(as).kind });
    const answer = await internalFetch(`/rest/v1/${path}`, {
      method,
      headers: {
        apikey: keys.publishableKey,
        authorization,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', prefer: 'return=representation' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.slice(0, shownChars), isCut: text.length > shownChars };
  });
  api.route('GET', '/reference/types', 'read', async ({ reply }) => {
    const schemas = [...new Set(['public', ...config.api.schemas])];
    return reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', 'attachment; filename="database.types.ts"')
      .send(await generateTypes(database.info.url, schemas));
  });
}
