/** Signs users in with passkeys, without a username or password. */
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { amrMethodOfFactor } from '../common/claims.ts';
import type { Fields } from '../common/fields.ts';
import { isBanned } from '../common/render-user.ts';
import type { Passkey, User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { findUserById } from '../common/user-queries.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { newChallenge, requestOptions, requestSession, type SignatureRequest } from './ceremony.ts';
import { consumeResponse, createChallenge, type PasskeyOptions, rejection } from './challenges.ts';
import { looksCloned } from './credential.ts';
import { listPasskeys, recordPasskeyUse } from './queries.ts';
import { type KeyRecord, parseAssertion, verifyAssertion } from './webauthn.ts';

export function beginPasskeySignIn(ctx: AuthContext): Promise<PasskeyOptions> {
  const request: SignatureRequest = {
    party: ctx.settings.relyingParty(),
    kind: 'passkey',
    challenge: newChallenge(),
    userId: undefined,
    allowed: [],
  };
  return createChallenge(ctx, {
    type: 'authentication',
    userId: null,
    session: requestSession(request),
    options: requestOptions(request),
  });
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
  const result = await verifyAssertion(ctx.settings.relyingParty(), ceremony, response, key);
  if (!result.ok) throw rejection(result.fault, result.cause);
  const use = result.proven;
  if (looksCloned(key, use)) throw clone(ctx, passkey);
  requireSignInAllowed(ctx, user);
  return ctx.pool.transaction(async (tx) => {
    if (!(await recordPasskeyUse(tx, passkey.id, use, ctx.clock.now()))) throw clone(ctx, passkey);
    await audit(ctx, tx, user, { action: 'login', ip: caller.ip, traits: { passkey_id: passkey.id } });
    const origin = use.userVerified && reachesAal2(ctx, caller) ? verifiedPasskey(ctx) : undefined;
    return issueSession(ctx, tx, caller, { user, method: 'passkey', proof: { by: 'passkey' }, origin });
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

function keyRecord(passkey: Passkey): KeyRecord {
  return {
    id: passkey.credential_id,
    publicKey: passkey.public_key,
    signCount: passkey.sign_count,
    backupEligible: passkey.backup_eligible,
    transports: passkey.transports,
  };
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
