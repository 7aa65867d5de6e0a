/**
 * Declares the routes under /passkeys and /admin/users/:userId/passkeys, which register, verify and manage passkeys.
 */

import { requireTarget } from '../admin/target.ts';
import type { UserCaller } from '../common/caller.ts';
import { limitChanges } from '../common/limit-changes.ts';
import type { AuthContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Router } from '../http/route.ts';
import { requireAdmin, requireUser } from '../sessions/authenticate.ts';
import { renderSession } from '../sessions/issued-session.ts';
import {
  deleteOwnPasskey,
  deletePasskeyByAdmin,
  listUserPasskeys,
  renameOwnPasskey,
  requirePasskeys,
} from './list.ts';
import { passkeyChallenge, passkeySignIn } from './operations.ts';
import { beginRegistration, finishRegistration } from './passkeys.ts';
import { renderPasskey, renderPasskeyOptions } from './render.ts';

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
