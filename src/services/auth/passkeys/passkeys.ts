/** Registers passkeys, and signs users in with passkeys, without a username or password. */

import { deviceOf } from '../../../base/shared/account.ts';
import { audit } from '../common/audit.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import { amrMethodOfFactor } from '../common/claims.ts';
import type { Fields, ReadFields } from '../common/fields.ts';
import { hasVerifiedFactor, isBanned } from '../common/render-user.ts';
import type { Passkey, User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { mailLanguage, wordsIn } from '../messages/default-mails.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { asUser } from '../sessions/user-transaction.ts';
import {
  type Ceremony,
  creationOptions,
  creationSession,
  type KeyUser,
  newChallenge,
  readSession,
  requestOptions,
  requestSession,
} from './ceremony.ts';
import { type KeyRecord, looksCloned, type NewKey } from './credential.ts';
import { passkeyName, unnamedPasskey } from './name.ts';
import {
  consumePasskeyChallenge,
  countPasskeys,
  insertPasskey,
  insertPasskeyChallenge,
  listPasskeys,
  type PasskeyChallengeType,
  recordPasskeyUse,
} from './queries.ts';
import { parseAssertion, parseCreation } from './response.ts';
import { verifyAssertion, verifyCreation } from './webauthn.ts';

const passkeyChallengeLifetimeMs = 300_000;
const maxPasskeysPerUser = 10;

/** A challenge for registering a passkey or for signing in with one. */
export interface PasskeyOptions {
  readonly challengeId: string;
  /** The input for the browser's WebAuthn API. */
  readonly options: object;
  readonly expiresAtSeconds: number;
}

/** Throws `insufficient_aal` if the user has a second factor but didn't use it in this session. */
export function requirePasskeyAal({ user, session }: UserCaller): void {
  if (!hasVerifiedFactor(user) || session?.aal === 'aal2') return;
  throw authError('insufficient_aal', 'AAL2 session is required to manage passkeys when MFA is enabled');
}

function requireRegistration(caller: UserCaller): void {
  if (caller.user.is_sso_user) {
    throw authError('validation_failed', 'SSO users cannot register passkeys', { status: 422 });
  }
  requirePasskeyAal(caller);
}

/** Starts a passkey registration. @throws {AuthError} too_many_passkeys, insufficient_aal, validation_failed */
export async function beginRegistration(ctx: AuthContext, caller: UserCaller): Promise<PasskeyOptions> {
  requireRegistration(caller);
  const { user } = caller;
  const existing = await listPasskeys(ctx.pool, user.id);
  if (existing.length >= maxPasskeysPerUser) throw authError('too_many_passkeys');
  const party = ctx.settings.relyingParty;
  const challenge = newChallenge();
  const excluded = existing.map((passkey) => ({ id: passkey.credential_id }));
  const options = creationOptions(party, 'passkey', keyUser(user), challenge, excluded);
  const session = creationSession(party, 'passkey', challenge, user.id);
  return createChallenge(ctx, 'registration', user.id, session, options);
}

/**
 * Completes a passkey registration.
 * @throws {AuthError} webauthn_challenge_not_found, webauthn_challenge_expired, webauthn_verification_failed,
 * webauthn_credential_exists
 */
export async function finishRegistration(
  ctx: AuthContext,
  caller: UserCaller,
  body: ReadFields,
): Promise<Passkey> {
  requireRegistration(caller);
  const { user } = caller;
  const { ceremony, credential } = await consumeResponse(ctx, body(), 'registration', user.id);
  const response = parseCreation(credential);
  if (!response) throw rejection('malformed');
  if (ceremony.userId !== user.id) throw rejection('refused');
  const result = await verifyCreation(ctx.settings.relyingParty, ceremony, response);
  if (!result.ok) throw rejection(result.fault, result.cause);
  return store(ctx, caller, user, result.proven);
}

async function store(ctx: AuthContext, caller: UserCaller, user: User, key: NewKey): Promise<Passkey> {
  const name = (await passkeyName(key.aaguid)) ?? nameFor(caller);
  const { added, event } = await asUser(ctx, caller, async (tx) => {
    if ((await countPasskeys(tx, user.id)) >= maxPasskeysPerUser) throw authError('too_many_passkeys');
    const passkey = await insertPasskey(tx, user.id, key, name, ctx.clock.now());
    if (!passkey) throw authError('webauthn_credential_exists');
    await audit(ctx, tx, user, 'passkey_created', { ip: caller.ip, traits: { passkey_id: passkey.id } });
    const details = { passkey_id: passkey.id, name };
    return {
      added: passkey,
      event: await recordEvent(ctx, tx, caller, user.id, 'passkey_added', details),
    };
  });
  await notify(ctx, undefined, caller, user, 'passkey_added', { passkey: name, event });
  return added;
}

/**
 * Returns a name for a passkey whose model is unknown. On the Account pages, the name describes the device on which the
 * user added the passkey. For other clients, the name is the same as in GoTrue.
 */
function nameFor({ pageLanguage, userAgent }: Caller): string {
  const device = pageLanguage === undefined ? undefined : deviceOf(userAgent);
  if (device === undefined) return unnamedPasskey;
  return wordsIn(mailLanguage(pageLanguage)).deviceName(device.browser, device.system);
}

export function beginPasskeySignIn(ctx: AuthContext): Promise<PasskeyOptions> {
  const party = ctx.settings.relyingParty;
  const challenge = newChallenge();
  const session = requestSession(party, 'passkey', challenge, undefined, []);
  return createChallenge(
    ctx,
    'authentication',
    null,
    session,
    requestOptions(party, 'passkey', challenge, []),
  );
}

/**
 * Signs a user in with a passkey. Throws the errors of {@link finishRegistration}, and `email_not_confirmed`,
 * `phone_not_confirmed` or `user_banned` with status 403.
 */
export async function finishPasskeySignIn(
  ctx: AuthContext,
  caller: Caller,
  body: Fields,
): Promise<IssuedSession> {
  const { ceremony, credential } = await consumeResponse(ctx, body, 'authentication', null);
  const response = parseAssertion(credential);
  if (!response) throw rejection('malformed');
  const { user, passkey } = await findOwner(ctx, response.userHandle, response.id);
  const key = keyRecord(passkey);
  const result = await verifyAssertion(ctx.settings.relyingParty, ceremony, response, key);
  if (!result.ok) throw rejection(result.fault, result.cause);
  const use = result.proven;
  if (looksCloned(key, use)) throw clone(ctx, passkey);
  requireSignInAllowed(ctx, user);
  return ctx.pool.transaction(async (tx) => {
    if (!(await recordPasskeyUse(tx, passkey.id, use, ctx.clock.now()))) throw clone(ctx, passkey);
    await audit(ctx, tx, user, 'login', { ip: caller.ip, traits: { passkey_id: passkey.id } });
    const origin = use.userVerified && reachesAal2(ctx, caller) ? verifiedPasskey(ctx) : undefined;
    return issueSession(ctx, tx, caller, user, 'passkey', { by: 'passkey' }, origin);
  });
}

/**
 * Whether a passkey with user verification counts as two factors (the device, and the PIN or biometric). True on the
 * Account pages, unless the project requires a second factor in addition to a passkey. Sessions of other clients get
 * aal1, as in upstream.
 */
function reachesAal2({ settings }: AuthContext, { pageLanguage }: Caller): boolean {
  return pageLanguage !== undefined && !settings.passkeysNeedFactor;
}

/** Returns the authentication methods and assurance level of a session that started with a verified passkey. */
function verifiedPasskey({ clock }: AuthContext) {
  const updated_at = fromMs(clock.now());
  const methods = ['passkey', amrMethodOfFactor.webauthn];
  const amr_claims = methods.map((authentication_method) => ({ authentication_method, updated_at }));
  return { aal: 'aal2', factor_id: null, amr_claims } as const;
}

/**
 * Finds the user and the passkey. The response's user handle identifies the user, and the passkey with the response's
 * ID must belong to this user.
 */
async function findOwner(
  ctx: AuthContext,
  userHandle: string,
  credentialId: string,
): Promise<{ user: User; passkey: Passkey }> {
  const userId = Buffer.from(userHandle, 'base64url').toString('utf8');
  const user = isUuid(userId) ? await findUserById(ctx.pool, userId) : undefined;
  if (!user) throw rejection('refused');
  const requested = Buffer.from(credentialId, 'base64url');
  const passkey = (await listPasskeys(ctx.pool, user.id)).find((each) =>
    each.credential_id.equals(requested),
  );
  if (!passkey) throw rejection('refused');
  return { user, passkey };
}

function requireSignInAllowed(ctx: AuthContext, user: User): void {
  if (user.email && user.email_confirmed_at === null) {
    throw authError('email_not_confirmed', undefined, { status: 403 });
  }
  if (user.phone && user.phone_confirmed_at === null) {
    throw authError('phone_not_confirmed', undefined, { status: 403 });
  }
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
}

async function createChallenge(
  ctx: AuthContext,
  type: PasskeyChallengeType,
  userId: string | null,
  session: ReturnType<typeof creationSession>,
  options: object,
): Promise<PasskeyOptions> {
  const now = ctx.clock.now();
  const expiresAtMs = now + passkeyChallengeLifetimeMs;
  const id = await insertPasskeyChallenge(ctx.pool, { userId, type, session, expiresAtMs }, now);
  return { challengeId: id, options, expiresAtSeconds: Math.floor(expiresAtMs / 1000) };
}

/**
 * Returns the parsed response and the challenge that it answers. Deletes the challenge so that clients can't use it
 * again.
 */
async function consumeResponse(
  ctx: AuthContext,
  body: Fields,
  type: PasskeyChallengeType,
  userId: string | null,
): Promise<{ ceremony: Ceremony; credential: unknown }> {
  const challengeId = body.text('challenge_id');
  const credential = body.raw('credential');
  if (challengeId === '') throw authError('validation_failed', 'challenge_id is required');
  if (credential === undefined) throw authError('validation_failed', 'credential is required');
  if (!isUuid(challengeId)) throw authError('validation_failed', 'challenge_id must be a valid UUID');
  const challenge = await consumePasskeyChallenge(ctx.pool, challengeId, type, userId);
  const ceremony = readSession(challenge?.session_data);
  if (!challenge || !ceremony) throw authError('webauthn_challenge_not_found');
  if (ctx.clock.now() > toMs(challenge.expires_at)) throw authError('webauthn_challenge_expired');
  return { ceremony, credential };
}

function keyUser(user: User): KeyUser {
  const name = user.email || user.phone || '';
  const given = user.raw_user_meta_data?.name;
  return { id: user.id, name, displayName: typeof given === 'string' && given !== '' ? given : name };
}

function keyRecord(passkey: Passkey): KeyRecord {
  return {
    id: passkey.credential_id,
    publicKey: passkey.public_key,
    signCount: passkey.sign_count,
    backupEligible: passkey.backup_eligible,
    transports: passkey.transports,
  };
}

function rejection(fault: 'malformed' | 'refused', cause?: unknown) {
  const message = fault === 'malformed' ? 'Invalid credential response' : undefined;
  return authError('webauthn_verification_failed', message, { cause });
}

/**
 * Returns the error for a passkey that may have been copied, and logs a warning for the operator. Upstream accepts
 * copied passkeys.
 */
function clone(ctx: AuthContext, passkey: Passkey) {
  ctx.log.warn(
    { service: 'auth', passkeyId: passkey.id, userId: passkey.user_id },
    "a passkey's signature counter didn't increase; it may have been cloned",
  );
  return rejection('refused');
}
