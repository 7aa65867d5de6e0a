/**
 * Declares the routes with which an operator acts as a user. The tokens are short-lived, and they contain the
 * operator's identity.
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import { identify } from '../persona/act.ts';
import { mintToken } from '../persona/token.ts';
import { activeImpersonations } from './queries.ts';
import { nameOf, type UserRouteDeps } from './user-call.ts';

export interface ImpersonationDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly apiUrl: () => string;
}

const impersonationSeconds = 15 * 60;

export function impersonationRoutes(
  { route, audit, userOf }: UserRouteDeps,
  { database, keys, clock, apiUrl }: ImpersonationDeps,
): void {
  const db = database.pool('postgres');
  const own = database.pool('supabase_admin');
  route('POST /users/:id/impersonate', 'write', async (call) => {
    const user = await userOf(call);
    const identity = await identify(db, { kind: 'user', id: user.id }, clock.now(), call.operator.role);
    // The `act` claim identifies the operator who is acting as the user (RFC 8693, section 4.1).
    const actor = { act: { sub: `operator:${call.operator.name}` } };
    const { token, expiresAt } = await mintToken(db, keys, identity, {
      nowMs: clock.now(),
      lifetimeSeconds: impersonationSeconds,
      extra: actor,
    });
    const until = new Date(expiresAt).toISOString();
    await audit(call, 'user.impersonate', nameOf(user), { userId: user.id, expiresAt: until });
    return { accessToken: token, expiresAt: until, url: apiUrl(), publishableKey: keys.publishableKey };
  });
  route('GET /impersonations', 'read', async ({ operator }) => ({
    impersonations: await activeImpersonations(own, operator.id, new Date(clock.now()).toISOString()),
  }));
}
