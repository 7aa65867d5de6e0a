/**
 * Beyond upstream: GET /user/data, what is kept of a user, to take along; and DELETE /user, where the project lets users
 * delete their account. Both are for the user, and for no client that acts for one.
 */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { renderUser } from '../core/render-user.ts';
import { fromMs } from '../core/times.ts';
import { authError } from '../errors.ts';
import { deleteOwnAccount, requireUsedFactor } from '../flows/own-account.ts';
import { type Principal, requirePerson } from '../http/authenticate.ts';
import { listConsents } from '../queries/oauth-consents.ts';
import { listPasskeys } from '../queries/passkeys.ts';
import { listSessions } from '../queries/sessions.ts';
import { renderGrant } from './oauth-grants.ts';
import { renderPasskey } from './passkeys.ts';
import { countRecoveryCodes } from './recovery-codes.ts';
import type { Define, Handler } from './route.ts';
import { renderSessionEntry } from './sessions.ts';

export function ownAccountRoutes(define: Define, ctx: AuthContext): void {
  const data: Handler = async (exchange) => {
    const principal = await requirePerson(ctx, exchange);
    requireUsedFactor(principal);
    exchange.reply.header('cache-control', 'no-store');
    return ownData(ctx, principal);
  };
  define('GET', '/user/data', data, { limit: 'user' });

  const remove: Handler = async (exchange) => {
    if (!ctx.settings.deletionEnabled) throw authError('feature_disabled', 'Account deletion is disabled');
    await deleteOwnAccount(ctx, exchange, await requirePerson(ctx, exchange));
    return exchange.reply.code(204).send();
  };
  define('DELETE', '/user', remove, { limit: 'user' });
}

/** Everything that says something of the user; no secrets, and nothing that the app itself keeps. */
async function ownData(ctx: AuthContext, { user, session }: Principal): Promise<JsonObject> {
  const [sessions, passkeys, grants, recoveryCodes] = await Promise.all([
    listSessions(ctx.pool, user.id),
    listPasskeys(ctx.pool, user.id),
    listConsents(ctx.pool, user.id),
    ctx.hasOwnTables ? countRecoveryCodes(ctx, user.id) : null,
  ]);
  return {
    exported_at: fromMs(ctx.clock.now()),
    user: renderUser(user),
    sessions: sessions.map((each) => renderSessionEntry(each, each.id === session?.id)),
    passkeys: passkeys.map(renderPasskey),
    oauth_grants: grants.map(renderGrant),
    recovery_codes: recoveryCodes,
  };
}
