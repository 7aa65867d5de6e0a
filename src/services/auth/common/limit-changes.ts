/** Limits how often users can change their own accounts. Requests from all networks count together. */

import type { AuthContext } from '../context.ts';
import type { UserCaller } from './caller.ts';

/**
 * Counts a change and returns the caller. Each change adds rows to the audit log and to the account's timeline, so a
 * stolen access token must not permit unlimited changes. Each session has a separate limit. With a common limit, a
 * thief could use up the changes that the owner needs to end the thief's session.
 * @throws {AuthError} over_request_rate_limit
 * @example const self = await limitChanges(ctx, await requireUser(ctx, caller))
 */
export async function limitChanges(ctx: AuthContext, self: UserCaller): Promise<UserCaller> {
  await ctx.limits.change(self.session?.id ?? self.user.id, ctx.clock.now());
  return self;
}

/**
 * Counts an identity that a user wants to link. All sessions of the user share this limit, because every link adds an
 * identity, a session and a notice to the account.
 * @throws {AuthError} over_request_rate_limit
 */
export async function limitLinks(ctx: AuthContext, { user }: UserCaller): Promise<void> {
  await ctx.limits.link(user.id, ctx.clock.now());
}
