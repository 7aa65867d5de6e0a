/**
 * Runs the transactions that change an account on behalf of its signed-in user. Each of them locks the user's row and
 * checks that the session is still alive. Otherwise, a request that is in flight while the owner ends all sessions,
 * chooses a new password or presses "This wasn't me" would change the account afterwards (decision 85).
 * `test/security/user-transactions.test.ts` lists all other transactions, with the reason why they don't use this file.
 */
import type { Transaction, WholeTransaction } from '../../../platform/database/types.ts';
import type { UserCaller } from '../common/caller.ts';
import { currentClient, currentDeadline } from '../common/deadline.ts';
import { isBanned } from '../common/render-user.ts';
import { type LiveUser, lockLiveUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { endAndNotify, endSessionsOf } from '../oauth-server/notify-clients.ts';

/** The number of a user's transactions that run concurrently in this process. One of them waits for the lock. */
const maxTransactionsPerUser = 2;

/** The signed-in user, with the session that the request was authenticated with. */
export type SignedIn = Pick<UserCaller, 'user' | 'session'>;

/**
 * Runs a transaction. The lock and the check are sent together with BEGIN, so they need no additional round trip.
 * @throws {AuthError} session_not_found, user_not_found, user_banned
 * @example await asUser(ctx, caller, (tx) => renamePasskey(tx, id, name, now))
 */
export function asUser<T>(
  ctx: AuthContext,
  self: SignedIn,
  work: (tx: WholeTransaction) => Promise<T>,
): Promise<T> {
  return inTurn(ctx, self, () =>
    ctx.pool.transaction(
      async (tx, [rows]) => {
        requireLive(ctx, self, (rows as readonly LiveUser[] | undefined)?.[0]);
        return work(tx);
      },
      { first: [lockLiveUser(self.user.id, self.session?.id)] },
    ),
  );
}

/** Runs {@link asUser} for changes that end sessions of the user, and notifies their clients. */
export function asUserEnding<T>(
  ctx: AuthContext,
  self: SignedIn,
  end: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTurn(ctx, self, () => endAndNotify(ctx, self.user.id, (tx) => ifLive(ctx, tx, self, end)));
}

/** Runs {@link asUserEnding}, and also returns the sessions of clients that have ended. */
export function asUserSigningOut<T>(ctx: AuthContext, self: SignedIn, end: (tx: Transaction) => Promise<T>) {
  return inTurn(ctx, self, () => endSessionsOf(ctx, self.user.id, (tx) => ifLive(ctx, tx, self, end)));
}

/** Runs `work` in a transaction that also serves other purposes, such as one that locks another row first. */
export async function ifLive<T>(
  ctx: Pick<AuthContext, 'clock'>,
  tx: Transaction,
  self: SignedIn,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const [row] = await tx.query<LiveUser>(lockLiveUser(self.user.id, self.session?.id));
  requireLive(ctx, self, row);
  return work(tx);
}

function requireLive(
  ctx: Pick<AuthContext, 'clock'>,
  { session }: SignedIn,
  row: LiveUser | undefined,
): void {
  if (row === undefined)
    throw session === undefined
      ? authError('user_not_found', 'User from sub claim in JWT does not exist', { status: 403 })
      : authError('session_not_found');
  if (isBanned(row, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
}

/**
 * Limits how many of a user's transactions run concurrently, because they would otherwise wait for each other's lock and
 * occupy the connections that other requests need. The button "This wasn't me" doesn't take turns here, so any number of
 * requests of an attacker holds it up by at most these transactions.
 */
function inTurn<T>(ctx: AuthContext, { user }: SignedIn, work: () => Promise<T>): Promise<T> {
  const turn = { signal: currentDeadline(), client: currentClient() };
  return ctx.userTurns.run({ key: user.id, concurrency: maxTransactionsPerUser, work, ...turn });
}
