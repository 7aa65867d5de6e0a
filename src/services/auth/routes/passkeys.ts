/**
 * Declares the routes under /passkeys and /admin/users/:userId/passkeys, which register, verify and manage passkeys.
 */

import type { UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import { renderPasskey, renderPasskeyOptions } from '../core/webauthn/render-passkey.ts';
import { requireTarget } from '../flows/admin-target.ts';
import { requireAdmin, requireUser } from '../flows/authenticate.ts';
import { limitChanges } from '../flows/limit-changes.ts';
import {
  deleteOwnPasskey,
  deletePasskeyByAdmin,
  listUserPasskeys,
  renameOwnPasskey,
  requirePasskeys,
} from '../flows/passkey-list.ts';
import { beginRegistration, finishRegistration } from '../flows/passkeys.ts';
import type { Exchange } from '../http/exchange.ts';
import { passkeyChallenge, passkeySignIn } from '../operations/passkeys.ts';
import type { Router } from './route.ts';

export function passkeyRoutes({ define, serve }: Router, ctx: AuthContext): void {
  const enter = ({ caller }: Exchange): Promise<UserCaller> => {
    requirePasskeys(ctx);
    return requireUser(ctx, caller);
  };
  const enterToChange = async (exchange: Exchange) => limitChanges(ctx, await enter(exchange));
  const target = ({ params }: Exchange) => requireTarget(ctx, params.userId ?? '');

  define('POST', '/passkeys/registration/options', async (exchange) =>
    renderPasskeyOptions(await beginRegistration(ctx, await enterToChange(exchange))),
  );

  define('POST', '/passkeys/registration/verify', async (exchange) => {
    const caller = await enterToChange(exchange);
    return renderPasskey(await finishRegistration(ctx, caller, exchange.body));
  });

  serve('POST', '/passkeys/authentication/options', passkeyChallenge, renderPasskeyOptions);
  serve('POST', '/passkeys/authentication/verify', passkeySignIn, renderSession);

  define('GET', '/passkeys', async (exchange) => {
    const { user } = await enter(exchange);
    return (await listUserPasskeys(ctx, user)).map(renderPasskey);
  });

  define('PATCH', '/passkeys/:id', async (exchange) => {
    const caller = await enterToChange(exchange);
    return renderPasskey(await renameOwnPasskey(ctx, caller, exchange.params.id ?? '', exchange.body));
  });

  define('DELETE', '/passkeys/:id', async (exchange) => {
    const caller = await enterToChange(exchange);
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
