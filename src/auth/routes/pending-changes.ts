/**
 * Beyond upstream, DELETE /user/email_change and DELETE /user/phone_change: a user takes a change back that waits for its
 * confirmation. The codes and links that were sent for it stop working. Without such a change there is nothing to do.
 */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { internalError } from '../errors.ts';
import { audit } from '../flows/audit.ts';
import { requireUser } from '../http/authenticate.ts';
import { deleteOneTimeTokens } from '../queries/one-time-tokens.ts';
import { updateUser } from '../queries/users.ts';
import type { User } from '../rows.ts';
import type { Define, Handler } from './route.ts';

export function pendingChangeRoutes(define: Define, ctx: AuthContext): void {
  define('DELETE', '/user/email_change', taking(ctx, cancelEmailChange));
  define('DELETE', '/user/phone_change', taking(ctx, cancelPhoneChange));
}

type Cancel = (ctx: AuthContext, tx: Transaction, user: User) => Promise<void>;

function taking(ctx: AuthContext, cancel: Cancel): Handler {
  return async (exchange) => {
    const { user } = await requireUser(ctx, exchange);
    try {
      await ctx.pool.transaction(async (tx) => {
        await cancel(ctx, tx, user);
        await audit(ctx, tx, user, 'user_modified');
      });
    } catch (cause) {
      throw internalError('Error updating user', cause);
    }
    return exchange.reply.code(204).send();
  };
}

async function cancelEmailChange(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  const none = {
    email_change: '',
    email_change_token_current: '',
    email_change_token_new: '',
    email_change_confirm_status: 0,
  };
  await updateUser(tx, user, none, ctx.clock.now());
  await deleteOneTimeTokens(tx, user.id, 'email_change_token_current');
  await deleteOneTimeTokens(tx, user.id, 'email_change_token_new');
}

async function cancelPhoneChange(ctx: AuthContext, tx: Transaction, user: User): Promise<void> {
  await updateUser(tx, user, { phone_change: '', phone_change_token: '' }, ctx.clock.now());
  await deleteOneTimeTokens(tx, user.id, 'phone_change_token');
}
