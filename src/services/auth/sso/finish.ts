/**
 * Completes single sign-on with the identity provider's response. Either the app or the identity provider started the
 * sign-in.
 */
import { childOf } from '../../../base/shared/xml.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import { audienceOf, type Caller } from '../common/caller.ts';
import { chooseRedirect, encodeParams, isBelow, withParams } from '../common/redirects.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import { toMs } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import {
  identityProof,
  requireIdentifying,
  runBeforeExternalUser,
  signInExternally,
} from '../providers/accounts.ts';
import { issueSession } from '../sessions/issue.ts';
import { sessionFragment } from '../sessions/issued-session.ts';
import { setSessionEnd } from '../sessions/queries.ts';
import { runAfterUserCreated } from '../sign-up/accounts.ts';
import { acceptAssertion, decodeBase64 } from './accept.ts';
import { requireOwnDomain } from './enforced.ts';
import {
  claimFlowState,
  consumeRelayState,
  findProviderByEntityId,
  findProviderById,
  type RelayState,
  type SsoProvider,
} from './queries.ts';
import { readUser, sessionEndOf } from './saml/assertion.ts';
import { assertionNamespace, parseSamlXml } from './saml/xml.ts';

/** Completes a sign-in. Returns the URL to which the browser is redirected, which contains a session or code. */
export async function finishSamlSignIn(
  ctx: AuthContext,
  caller: Caller,
  form: URLSearchParams,
): Promise<string> {
  const relay = form.get('RelayState') ?? '';
  if (isUuid(relay) && hasOrganizations(ctx)) {
    const { finishSamlTest } = await import('../organizations/connections/test.ts');
    const tested = await finishSamlTest(ctx, relay, form);
    if (tested !== undefined) return tested;
  }
  const stored = await findBeginning(ctx, form);
  try {
    return await complete(ctx, caller, form, stored);
  } catch (error) {
    const { redirects, accountUrl, hasAccountPages } = ctx.settings;
    const page = chooseRedirect(redirects, [stored.redirectTo], accountUrl());
    const isOurs = stored.relayState !== undefined && hasAccountPages && isBelow(page, accountUrl());
    throw isOurs ? new SamlFailure(page, error) : error;
  }
}

/** The failure of a sign-in that was started on the Account pages, which display the error. */
export class SamlFailure extends Error {
  readonly page: string;

  constructor(page: string, cause: unknown) {
    super('the sign-in at the identity provider failed', { cause });
    this.name = 'SamlFailure';
    this.page = page;
  }
}

async function complete(
  ctx: AuthContext,
  caller: Caller,
  form: URLSearchParams,
  stored: Beginning,
): Promise<string> {
  const { provider, relayState } = stored;
  if (provider.disabled) {
    throw authError('sso_provider_disabled', 'SSO Provider assigned for this domain is currently disabled');
  }
  const { redirects, accountUrl } = ctx.settings;
  const target = chooseRedirect(redirects, [stored.redirectTo], accountUrl());
  // Several organizations can use the same identity provider, so its unrequested response only opens a page of ours.
  if (provider.connection !== undefined && relayState === undefined) {
    if (!ctx.settings.hasAccountPages) throw authError('saml_idp_not_found');
    return signInHere(isBelow(target, accountUrl()) ? target : accountUrl(), accountUrl(), provider.id);
  }
  const assertion = await acceptAssertion(ctx, provider, relayState, form);
  const { email, claims } = readUser(assertion, provider.entity_id, provider.attribute_mapping ?? {});
  const profile = { emails: [{ email, verified: true, primary: true }], claims };
  requireIdentifying(profile);
  const admitted =
    provider.connection === undefined
      ? undefined
      : await (await import('../organizations/connections/sign-in.ts')).admit(
          ctx,
          provider.connection,
          profile,
        );
  const signIn = {
    provider: `sso:${provider.id}`,
    profile: admitted?.profile ?? profile,
    emailOptional: false,
    aud: audienceOf(ctx, caller),
    rules: admitted?.rules,
  };
  if (relayState === undefined && ctx.settings.hasAccountPages && isBelow(target, accountUrl())) {
    return signInHere(target, accountUrl(), provider.id);
  }
  await requireOwnDomain(ctx, ctx.pool, email, provider.id);
  await runBeforeExternalUser(ctx, caller, signIn);
  const work = async (tx: Transaction) => {
    const made = await signInExternally(ctx, tx, caller, signIn);
    if (made.kind === 'refusal') return made;
    const { user, isNew } = made;
    if (relayState?.auth_code && relayState.flow_state_id) {
      const isFirst = await claimFlowState(tx, relayState.flow_state_id, user.id, ctx.clock.now());
      if (!isFirst) throw authError('flow_state_already_used', 'State has already been used');
      const location = withParams(target, { code: relayState.auth_code });
      return { kind: 'location', location, user, isNew } as const;
    }
    const session = await issueSession(ctx, tx, caller, {
      user,
      method: 'sso/saml',
      proof: identityProof(signIn),
    });
    const end = sessionEndOf(assertion);
    if (end !== undefined) await setSessionEnd(tx, session.sessionId, end);
    const location = `${target}#${encodeParams(sessionFragment(session))}`;
    return { kind: 'location', location, user, isNew } as const;
  };
  // Another tab may have created the same account at the same time.
  const outcome = await retryOnConflict(() => ctx.pool.transaction(work));
  if (outcome.kind === 'refusal') throw outcome.error;
  if (outcome.isNew) await runAfterUserCreated(ctx, caller, outcome.user);
  await admitted?.join(outcome.user);
  return outcome.location;
}

/**
 * Returns the URL of an Account page that starts another sign-in with the provider. This URL is used if the provider
 * started the sign-in, because in this case no browser window is waiting for a session. The user is already signed in
 * at the provider, so the second sign-in requires no input.
 */
function signInHere(target: string, accountUrl: string, providerId: string): string {
  const query = new URLSearchParams(new URL(target).search);
  query.set('sso', providerId);
  return `${accountUrl}/with?${query}`;
}

interface Beginning {
  readonly provider: SsoProvider;
  /** The state of the sign-in. Undefined if the identity provider started the sign-in. */
  readonly relayState: RelayState | undefined;
  readonly redirectTo: string;
}

async function findBeginning(ctx: AuthContext, form: URLSearchParams): Promise<Beginning> {
  const relay = form.get('RelayState') ?? '';
  if (isUuid(relay)) return findOurs(ctx, relay);
  if (relay !== '' && !relay.startsWith('/') && !URL.canParse(relay)) {
    throw authError('validation_failed', 'SAML RelayState is not a valid UUID or URL');
  }
  if (form.get('SAMLart')) {
    throw authError('validation_failed', 'SAML Artifact response can only be used with SP initiated flow');
  }
  const response = form.get('SAMLResponse') ?? '';
  if (response === '') throw authError('validation_failed', 'SAMLResponse is missing');
  const issuer = peekIssuer(response);
  const ofProject = ctx.settings.saml.enabled ? await findProviderByEntityId(ctx.pool, issuer) : undefined;
  const provider = ofProject ?? (await findOfOrganization(ctx, issuer, 'entity'));
  if (!provider) throw authError('saml_idp_not_found');
  return { provider, relayState: undefined, redirectTo: relay };
}

async function findOurs(ctx: AuthContext, relayStateId: string): Promise<Beginning> {
  const relayState = await consumeRelayState(ctx.pool, relayStateId);
  if (!relayState) throw authError('saml_relay_state_not_found');
  const endMs = toMs(relayState.created_at) + ctx.settings.saml.relay_state_validity_period;
  if (ctx.clock.now() >= endMs) throw authError('saml_relay_state_expired');
  const id = relayState.sso_provider_id;
  const ofProject = ctx.settings.saml.enabled ? await findProviderById(ctx.pool, id) : undefined;
  const provider = ofProject ?? (await findOfOrganization(ctx, id, 'id'));
  if (!provider) throw internalError('Unable to find SSO Provider from SAML RelayState');
  return { provider, relayState, redirectTo: relayState.redirect_to ?? '' };
}

const hasOrganizations = ({ settings, hasOwnTables }: AuthContext): boolean =>
  settings.organizations.enabled && hasOwnTables;

async function findOfOrganization(
  ctx: AuthContext,
  key: string,
  by: 'id' | 'entity',
): Promise<SsoProvider | undefined> {
  if (!hasOrganizations(ctx)) return undefined;
  const { findSamlProvider, findSamlProviderByEntityId } = await import(
    '../organizations/connections/sign-in.ts'
  );
  return by === 'id' ? findSamlProvider(ctx, key) : findSamlProviderByEntityId(ctx, key);
}

/** Returns the issuer in the response. The issuer is unverified, so callers must use it only to select the provider. */
function peekIssuer(encoded: string): string {
  const xml = decodeBase64(encoded);
  if (xml === undefined) throw authError('validation_failed', 'SAMLResponse is not a valid Base64 string');
  try {
    return childOf(parseSamlXml(xml), assertionNamespace, 'Issuer')?.text.trim() ?? '';
  } catch (cause) {
    throw authError('validation_failed', 'SAMLResponse is not a valid XML SAML assertion', { cause });
  }
}
