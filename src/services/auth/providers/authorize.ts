/** Starts a sign-in with a provider: returns the URL to which the browser is redirected. */

import { createHash, randomUUID } from 'node:crypto';
import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { requireUsedFactor } from '../account/own-account.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import { limitLinks } from '../common/limit-changes.ts';
import { type Challenge, parseChallenge } from '../common/pkce.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError } from '../errors.ts';
import { asUser, type SignedIn } from '../sessions/user-transaction.ts';
import { insertOAuthFlow, type OAuthMethod } from '../sign-in/flow-states.ts';
import { findProvider, unsupportedProvider } from './find.ts';
import { requireInvitation } from './links.ts';
import {
  authorizationUrl,
  type ExternalProvider,
  newCodeVerifier,
  type OAuth2Client,
  passedParams,
} from './oauth-client.ts';
import { requestToken } from './oauth1-client.ts';
import { insertOAuthClientState } from './queries.ts';

/**
 * The provider name that represents the Account pages. To open the pages, apps can pass this name to `signInWithOAuth`
 * of an unmodified supabase-js, because the name has the format of a custom provider's name.
 */
export const accountProvider = 'custom:account';

/**
 * Returns the URL at which the user signs in.
 * @param query the parameters of /authorize
 */
export function signInAddress(
  ctx: AuthContext,
  caller: Caller,
  query: URLSearchParams,
): Promise<string> | string {
  return query.get('provider') === accountProvider
    ? accountAddress(ctx, caller, query)
    : providerAddress(ctx, caller, query);
}

/** The Account pages that an app can open with the query parameter `page`. */
const accountEntries = ['sign-in', 'sign-up', 'guest', 'upgrade', 'accounts', 'organizations'];

/** Returns the URL of an Account page. The Account page itself checks the redirect URL and the challenge. */
function accountAddress(ctx: AuthContext, { host }: Caller, query: URLSearchParams): string {
  const passed = ['redirect_to', 'code_challenge', 'code_challenge_method', 'state']
    .map((name) => [name, query.get(name)] as const)
    .filter((pair): pair is readonly [string, string] => pair[1] !== null);
  const search = new URLSearchParams(passed.map(([name, value]) => [name, value])).toString();
  const accountUrl = keepLoopbackName(ctx.settings.accountUrl(), host);
  const page = accountEntries.find((name) => name === query.get('page')) ?? 'sign-in';
  return `${accountUrl}/${page}${search === '' ? '' : `?${search}`}`;
}

/**
 * Returns the provider's URL for linking an identity.
 * @throws {AuthError} manual_linking_disabled, insufficient_aal
 */
export async function linkingAddress(
  ctx: AuthContext,
  caller: UserCaller,
  query: URLSearchParams,
): Promise<string> {
  if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
  requireUsedFactor(caller);
  await limitLinks(ctx, caller);
  return providerAddress(ctx, caller, query, caller);
}

async function providerAddress(
  ctx: AuthContext,
  caller: Caller,
  query: URLSearchParams,
  linkingTarget?: UserCaller,
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
    linkingTarget,
    params: passedParams(query),
  });
}

async function requireInvited(ctx: AuthContext, token: string): Promise<void> {
  try {
    await requireInvitation(ctx, token);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    throw authError('user_not_found', 'User identified by token not found');
  }
}

export interface SignInStart {
  readonly client: ExternalProvider;
  readonly challenge: Challenge | undefined;
  readonly inviteToken: string | undefined;
  /** The allowed URL to which the browser is redirected at the end of the sign-in. */
  readonly redirectTo: string;
  /** The signed-in user to whom the identity will be linked. */
  readonly linkingTarget: SignedIn | undefined;
  /** The parameters that the app sends to the provider. */
  readonly params: Readonly<Record<string, string>>;
  readonly method?: OAuthMethod;
}

/** Starts a sign-in. Returns the provider's URL, to which the caller must redirect the browser. */
export async function beginSignIn(ctx: AuthContext, start: SignInStart): Promise<string> {
  const { client } = start;
  const now = ctx.clock.now();
  const state = randomUUID();
  const { url, secret } =
    client.kind === 'oauth1'
      ? await requestToken(ctx, client, state)
      : oauth2Address(client, state, start.params);
  const clientStateId =
    secret === undefined ? undefined : await insertOAuthClientState(ctx.pool, client.provider, secret, now);
  const { linkingTarget } = start;
  const store = (db: Queryable) =>
    insertOAuthFlow(
      db,
      {
        id: state,
        providerType: client.provider,
        challenge: start.challenge,
        inviteToken: start.inviteToken,
        referrer: start.redirectTo,
        clientStateId,
        linkingTargetId: linkingTarget?.user.id,
        emailOptional: client.emailOptional,
        method: start.method ?? 'oauth',
      },
      now,
    );
  await (linkingTarget === undefined ? store(ctx.pool) : asUser(ctx, linkingTarget, store));
  return url;
}

function oauth2Address(
  client: OAuth2Client,
  state: string,
  params: Readonly<Record<string, string>>,
): { url: string; secret: string | undefined } {
  const secret = client.pkce ? newCodeVerifier() : undefined;
  const challenge: Record<string, string> =
    secret === undefined
      ? {}
      : {
          code_challenge: createHash('sha256').update(secret).digest('base64url'),
          code_challenge_method: 'S256',
        };
  const url = authorizationUrl({
    ...client,
    state,
    params: [client.passesParams ? params : {}, challenge, client.params],
  });
  return { url, secret };
}
