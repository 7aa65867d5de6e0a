/** /passkeys, and /admin/users/:userId/passkeys: registering, signing in with, and managing passkeys. */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { toRfc3339 } from '../core/times.ts';
import { authError } from '../errors.ts';
import { adminActor, audit } from '../flows/audit.ts';
import {
  beginRegistration,
  beginSignIn,
  finishRegistration,
  finishSignIn,
  requirePasskeyAal,
} from '../flows/passkeys.ts';
import { renderSession } from '../flows/sessions.ts';
import { isUuid, type Principal, requireAdmin, requireUser } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import { deletePasskey, findPasskey, listPasskeys, renamePasskey } from '../queries/passkeys.ts';
import type { Passkey } from '../rows.ts';
import { requireTarget } from './admin-users.ts';
import type { Define } from './route.ts';

const maxNameBytes = 120;

export function passkeyRoutes(define: Define, ctx: AuthContext): void {
  const enter = (exchange: Exchange): Promise<Principal> => {
    requireEnabled(ctx);
    return requireUser(ctx, exchange);
  };

  define('POST', '/passkeys/registration/options', async (exchange) =>
    beginRegistration(ctx, await enter(exchange)),
  );

  define('POST', '/passkeys/registration/verify', async (exchange) => {
    const principal = await enter(exchange);
    return renderPasskey(await finishRegistration(ctx, exchange, principal));
  });

  // Where passkeys are off, that is the answer, whoever asks how often.
  const guards = ctx.settings.passkeysEnabled ? ({ limit: 'passkey', captcha: true } as const) : {};
  define(
    'POST',
    '/passkeys/authentication/options',
    () => {
      requireEnabled(ctx);
      return beginSignIn(ctx);
    },
    guards,
  );

  define('POST', '/passkeys/authentication/verify', async (exchange) => {
    requireEnabled(ctx);
    return renderSession(await finishSignIn(ctx, exchange));
  });

  define('GET', '/passkeys', async (exchange) => {
    const { user } = await enter(exchange);
    return (await listPasskeys(ctx.pool, user.id)).map(renderPasskey);
  });

  define('PATCH', '/passkeys/:id', async (exchange) => {
    const { user } = await enter(exchange);
    const id = passkeyId(exchange.params.id);
    const friendlyName = exchange.body().text('friendly_name');
    if (friendlyName === '') throw authError('validation_failed', 'friendly_name is required');
    if (Buffer.byteLength(friendlyName) > maxNameBytes) {
      throw authError('validation_failed', `friendly_name must be ${maxNameBytes} characters or less`);
    }
    const passkey = await requirePasskey(ctx, id, user.id);
    await ctx.pool.transaction(async (tx) => {
      await renamePasskey(tx, id, friendlyName, ctx.clock.now());
      await audit(ctx, tx, user, 'passkey_updated', { ip: exchange.ip, traits: { passkey_id: id } });
    });
    return renderPasskey({ ...passkey, friendly_name: friendlyName });
  });

  define('DELETE', '/passkeys/:id', async (exchange) => {
    const principal = await enter(exchange);
    requirePasskeyAal(principal);
    const { user } = principal;
    const { id } = await requirePasskey(ctx, passkeyId(exchange.params.id), user.id);
    await ctx.pool.transaction(async (tx) => {
      await deletePasskey(tx, id);
      await audit(ctx, tx, user, 'passkey_deleted', { ip: exchange.ip, traits: { passkey_id: id } });
    });
    return exchange.reply.code(204).send();
  });

  define('GET', '/admin/users/:userId/passkeys', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const user = await requireTarget(ctx, exchange);
    return (await listPasskeys(ctx.pool, user.id)).map(renderPasskey);
  });

  define('DELETE', '/admin/users/:userId/passkeys/:passkeyId', async (exchange) => {
    const claims = await requireAdmin(ctx, exchange);
    const user = await requireTarget(ctx, exchange);
    const { id } = await requirePasskey(ctx, passkeyId(exchange.params.passkeyId), user.id);
    await ctx.pool.transaction(async (tx) => {
      await deletePasskey(tx, id);
      const traits = { user_id: user.id, passkey_id: id };
      await audit(ctx, tx, adminActor(claims), 'passkey_deleted', { ip: exchange.ip, traits });
    });
    return exchange.reply.code(204).send();
  });
}

function requireEnabled(ctx: AuthContext): void {
  if (!ctx.settings.passkeysEnabled) throw authError('passkey_disabled');
}

/** Throws 404 `validation_failed`, as upstream does for a passkey that is not there. */
function passkeyId(text = ''): string {
  if (!isUuid(text)) throw notFound();
  return text;
}

async function requirePasskey(ctx: AuthContext, id: string, userId: string): Promise<Passkey> {
  const passkey = await findPasskey(ctx.pool, id, userId);
  if (!passkey) throw notFound();
  return passkey;
}

function notFound() {
  return authError('validation_failed', 'Passkey not found', { status: 404 });
}

/** How users see a passkey of theirs. */
export function renderPasskey(passkey: Passkey): JsonObject {
  return {
    id: passkey.id,
    friendly_name: passkey.friendly_name || undefined,
    created_at: toRfc3339(passkey.created_at),
    last_used_at: passkey.last_used_at === null ? undefined : toRfc3339(passkey.last_used_at),
  };
}
