/** API calls for signing in without a password or code, and for second factors. */
import type { SessionState } from '../../lib/session/index.ts';
import { type Made, post, postGuarded } from '../account-api.ts';
import { callAuth, sessionClient, type User } from '../session.ts';
import { type CreationJson, makeKey, type RequestJson, requestKey } from './keys.ts';

/**
 * Signs in with a passkey. If `conditional` is set, the browser offers the passkey in a field until another sign-in
 * starts.
 */
export async function signInWithPasskey(conditional = false): Promise<SessionState<User>> {
  const question = await postGuarded<{ challenge_id: string; options: RequestJson }>('passkey/options', {});
  const credential = await requestKey(question.options, conditional);
  await post<Made>('passkey', { challenge_id: question.challenge_id, credential });
  return sessionClient().changed('SIGNED_IN');
}

/**
 * Creates a passkey for the signed-in user. @throws {KeyNotAdded}
 * @throws {KeyKnown} if the device already has a key for this account
 */
export async function addPasskey(): Promise<void> {
  const question = await callAuth<{ challenge_id: string; options: CreationJson }>(
    '/passkeys/registration/options',
    { method: 'POST', body: {} },
  );
  const credential = await makeKey(question.options);
  const body = { challenge_id: question.challenge_id, credential };
  await callAuth('/passkeys/registration/verify', { method: 'POST', body });
}

/** Returns the URL of an organization's sign-in page. */
export async function findOrganization(domain: string, flow: string): Promise<string> {
  const { url } = await postGuarded<{ url: string }>('sso', { domain, flow });
  return url;
}

/**
 * Returns the URL at which the user signs in with the provider to link the identity from that provider. `flow` is the
 * query string to preserve.
 */
export async function linkAddress(provider: string, flow = ''): Promise<string> {
  return (await post<{ url: string }>('link', { provider, flow })).url;
}

export interface FactorQuestion {
  readonly id: string;
  readonly webauthn?: {
    readonly type: 'create' | 'request';
    readonly credential_options: { readonly publicKey: CreationJson & RequestJson };
  };
}

/**
 * Starts a challenge for a factor. If the factor is a phone, a code is sent to it. If the factor is a security key, the
 * WebAuthn options are returned.
 */
export function challengeFactor(factorId: string): Promise<FactorQuestion> {
  return post('factor/challenge', { factor_id: factorId });
}

/** @param proof `{code}`, or `{webauthn}` in auth's format. */
export async function submitFactor(
  factorId: string,
  challengeId: string,
  proof: object,
): Promise<SessionState<User>> {
  await post<Made>('factor/verify', { factor_id: factorId, challenge_id: challengeId, ...proof });
  return sessionClient().changed('TOKEN_REFRESHED');
}

/**
 * Requests a security key's response to the challenge, and submits the response.
 * @throws {KeyCanceled}
 * @throws {KeyKnown}
 */
export async function submitKeyFactor(factorId: string): Promise<SessionState<User>> {
  const { id, webauthn } = await challengeFactor(factorId);
  if (webauthn === undefined) throw new Error("The auth service didn't request a key.");
  const { type, credential_options: options } = webauthn;
  const credential_response = await (type === 'create' ? makeKey : requestKey)(options.publicKey);
  return submitFactor(factorId, id, { webauthn: { type, credential_response } });
}

export async function submitRecoveryCode(code: string): Promise<SessionState<User>> {
  await post<Made>('recovery-code', { code });
  return sessionClient().changed('TOKEN_REFRESHED');
}
