/** /passkeys, and /admin/users/:userId/passkeys: registering, signing in with, and managing passkeys. */

import type { UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import type { JsonObject } from '../core/json.ts';
import { toRfc3339 } from '../core/times.ts';
import { requireTarget } from '../flows/admin-users.ts';
import { requireAdmin, requireUser } from '../flows/authenticate.ts';
import {
  deleteOwnPasskey,
  deletePasskeyByAdmin,
  listUserPasskeys,
  renameOwnPasskey,
  requirePasskeys,
} from '../flows/passkey-list.ts';
import {
  beginPasskeySignIn,
  beginRegistration,
  finishPasskeySignIn,
  finishRegistration,
} from '../flows/passkeys.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Passkey } from '../rows.ts';
import type { Define } from './route.ts';

export function passkeyRoutes(define: Define, ctx: AuthContext): void {
  const enter = ({ caller }: Exchange): Promise<UserCaller> => {
    requirePasskeys(ctx);
    return requireUser(ctx, caller);
  };
  const target = ({ params }: Exchange) => requireTarget(ctx, params.userId ?? '');

  define('POST', '/passkeys/registration/options', async (exchange) =>
    beginRegistration(ctx, await enter(exchange)),
  );

  define('POST', '/passkeys/registration/verify', async (exchange) => {
    const caller = await enter(exchange);
    return renderPasskey(await finishRegistration(ctx, caller, exchange.body));
  });

  // If passkeys are disabled, the response says so regardless of limits.
  const guards = ctx.settings.passkeysEnabled ? ({ limit: 'passkey', captcha: true } as const) : {};
  const signInOptions = () => {
    requirePasskeys(ctx);
    return beginPasskeySignIn(ctx);
  };
  define('POST', '/passkeys/authentication/options', signInOptions, guards);

  define('POST', '/passkeys/authentication/verify', async ({ caller, body }) => {
    requirePasskeys(ctx);
    return renderSession(await finishPasskeySignIn(ctx, caller, body()));
  });

  define('GET', '/passkeys', async (exchange) => {
    const { user } = await enter(exchange);
    return (await listUserPasskeys(ctx, user)).map(renderPasskey);
  });

  define('PATCH', '/passkeys/:id', async (exchange) => {
    const caller = await enter(exchange);
    return renderPasskey(await renameOwnPasskey(ctx, caller, exchange.params.id ?? '', exchange.body));
  });

  define('DELETE', '/passkeys/:id', async (exchange) => {
    const caller = await enter(exchange);
    await deleteOwnPasskey(ctx, caller, exchange.params.id ?? '');
    return exchange.reply.code(204).send();
  });

  define('GET', '/admin/users/:userId/passkeys', async (exchange) => {
    await requireAdmin(ctx, exchange.caller);
    return (await listUserPasskeys(ctx, await target(exchange))).map(renderPasskey);
  });

  define('DELETE', '/admin/users/:userId/passkeys/:passkeyId', async (exchange) => {
    const caller = await requireAdmin(ctx, exchange.caller);
    const user = await target(exchange);
    await deletePasskeyByAdmin(ctx, caller, user, exchange.params.passkeyId ?? '');
    return exchange.reply.code(204).send();
  });
}

/** Renders a passkey for its owner. */
export function renderPasskey(passkey: Passkey): JsonObject {
  return {
    id: passkey.id,
    friendly_name: passkey.friendly_name || undefined,
    created_at: toRfc3339(passkey.created_at),
    last_used_at: passkey.last_used_at === null ? undefined : toRfc3339(passkey.last_used_at),
  };
}
