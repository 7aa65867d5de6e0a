/** The start of a sign-in with a provider. */

import type { Caller, UserCaller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { passedParams } from '../core/oauth-client.ts';
import { parseChallenge } from '../core/pkce.ts';
import { AuthError, authError } from '../errors.ts';
import { findInvited } from './external-links.ts';
import { findProvider, unsupportedProvider } from './external-providers.ts';
import { beginSignIn } from './external-sign-in.ts';
import { requireUsedFactor } from './own-account.ts';

/**
 * The Account pages as a provider, so that stock clients can reach them with signInWithOAuth. The name follows the form
 * of custom providers' names.
 */
export const accountProvider = 'custom:account';

/** Returns the address of the provider to send the browser to. @param query the parameters of /authorize */
export async function providerAddress(
  ctx: AuthContext,
  caller: Caller,
  query: URLSearchParams,
  linkingTargetId?: string,
): Promise<string> {
  const provider = (query.get('provider') ?? '').toLowerCase();
  const client = await findProvider(ctx, provider, query.get('scopes') ?? '', unsupportedProvider);
  const inviteToken = query.get('invite_token') || undefined;
  if (inviteToken !== undefined) await requireInvited(ctx, inviteToken);
  const challenge = parseChallenge(
    query.get('code_challenge') ?? '',
    query.get('code_challenge_method') ?? '',
  );
  return beginSignIn(ctx, {
    client,
    challenge,
    inviteToken,
    redirectTo: caller.redirectTo(),
    linkingTargetId,
    params: passedParams(query),
  });
}

async function requireInvited(ctx: AuthContext, token: string): Promise<void> {
  try {
    await findInvited(ctx, ctx.pool, token);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    throw authError('user_not_found', 'User identified by token not found');
  }
}

/**
 * Returns the address of the provider whose identity will be linked. @throws {AuthError} manual_linking_disabled,
 * insufficient_aal
 */
export async function linkingAddress(
  ctx: AuthContext,
  caller: UserCaller,
  query: URLSearchParams,
): Promise<string> {
  if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
  requireUsedFactor(caller);
  return providerAddress(ctx, caller, query, caller.user.id);
}
