/** Creates the Authorization header with which a request runs as a persona. */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Call } from '../routes/api.ts';
import { identify } from './act.ts';
import { parsePersona } from './persona.ts';
import { mintToken, serviceToken } from './token.ts';

interface AuthorizationDeps {
  readonly db: Queryable;
  readonly keys: Keys;
  readonly clock: Clock;
}

const tokenSeconds = 60;

/**
 * Returns a function that creates the header. `as` is the persona in the format of `parsePersona`. The token of a user
 * is valid for a minute.
 */
export const createAuthorization =
  ({ db, keys, clock }: AuthorizationDeps) =>
  async ({ operator }: Pick<Call, 'operator'>, as: string | undefined): Promise<string> => {
    const persona = parsePersona(as);
    if (persona.kind === 'operator') return `Bearer ${serviceToken(keys)}`;
    if (persona.kind === 'anon') return `Bearer ${keys.anonKey}`;
    const identity = await identify(db, persona, clock.now(), operator.role);
    const { token } = await mintToken(db, keys, identity, {
      nowMs: clock.now(),
      lifetimeSeconds: tokenSeconds,
    });
    return `Bearer ${token}`;
  };
