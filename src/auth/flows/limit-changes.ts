/** Limits how often users change their own accounts, across all networks. */
import type { UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';

/**
 * Counts a change and returns the caller. Each change adds rows to the audit log and the account's timeline, so a
 * stolen access token must not allow unlimited changes. Each session has a separate limit. Otherwise, a thief could use
 * up the changes that the owner needs to end the thief's session.
 * @throws {AuthError} over_request_rate_limit
 * @example const self = await limitChanges(ctx, await requireUser(ctx, caller))
 */
export async function limitChanges(ctx: AuthContext, self: UserCaller): Promise<UserCaller> {
  await ctx.limits.change(self.session?.id ?? self.user.id, ctx.clock.now());
  return self;
}
