/** Signs users in with a password. */

import { sendTokenMail } from '../codes/mail-tokens.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import { isBanned } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { findUserByEmail, findUserByPhone } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { isMailPausing } from '../messages/sending.ts';
import { endAndNotify } from '../oauth-server/notify-clients.ts';
import { weaknessAtSignIn } from '../passwords/strength.ts';
import { isKnownDevice } from '../security-events/queries.ts';
import { deviceKey } from '../security-events/record.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { deleteSessions } from '../sessions/queries.ts';
import { organizationRequiringSso } from '../sso/enforced.ts';

interface PasswordInput {
  /** The user's email address. Either the email address or the phone number is empty. */
  readonly email: string;
  readonly phone: string;
  readonly password: string;
}

export interface PasswordSignIn {
  readonly session: IssuedSession;
  /** The reason why the password no longer meets the requirements. The user can still sign in with this password. */
  readonly weakness: AuthError | undefined;
}

/**
 * Signs a user in.
 * @throws {AuthError} invalid_credentials, user_banned, email_not_confirmed, phone_not_confirmed,
 * over_request_rate_limit, device_not_confirmed
 */
export async function signInWithPassword(
  ctx: AuthContext,
  caller: Caller,
  { email, phone, password }: PasswordInput,
): Promise<PasswordSignIn> {
  if (email !== '' && phone !== '') {
    throw authError(
      'validation_failed',
      'Only an email address or phone number should be provided on login.',
    );
  }
  const emergencyIn = await organizationRequiringSso(ctx, ctx.pool, email);
  if (emergencyIn !== undefined) return signInInEmergency(ctx, caller, { email, password }, emergencyIn);
  return {
    session: await signIn(ctx, caller, { email, phone, password }),
    weakness: await weaknessAtSignIn(ctx, password),
  };
}

/**
 * Signs in an owner of an organization that requires single sign-on. Everyone else receives the same error whether or not
 * the account exists and the password is correct. Otherwise, the errors would reveal both.
 */
async function signInInEmergency(
  ctx: AuthContext,
  caller: Caller,
  { email, password }: Pick<PasswordInput, 'email' | 'password'>,
  organizationId: string,
): Promise<PasswordSignIn> {
  const { requireEmergencyOwner } = await import('../organizations/connections/emergency.ts');
  try {
    const session = await signIn(ctx, caller, { email, phone: '', password }, (user) =>
      requireEmergencyOwner(ctx, organizationId, user),
    );
    return { session, weakness: await weaknessAtSignIn(ctx, password) };
  } catch (error) {
    if (error instanceof AuthError && concealed.has(error.code ?? ''))
      throw authError('sso_required', undefined, { cause: error });
    throw error;
  }
}

/** The errors that reveal whether an account exists or a password is correct. */
const concealed: ReadonlySet<string> = new Set(['invalid_credentials', 'user_banned', 'email_not_confirmed']);

async function signIn(
  ctx: AuthContext,
  caller: Caller,
  { email, phone, password }: PasswordInput,
  /** Checks the user. Replaces the check of the device, because the code for a new device doesn't count as SSO. */
  check: (user: User) => Promise<void> = (user) => requireConfirmedDevice(ctx, caller, user),
): Promise<IssuedSession> {
  const user = await findForLogin(ctx, email, phone, audienceOf(ctx, caller));
  const guess = { account: user?.id ?? (email.toLowerCase() || phone), ownerId: user?.id };
  const isValid = await verifySecret(ctx, caller, { kind: 'password', ...guess }, () =>
    isPassword(ctx, user, password),
  );
  if (!user?.encrypted_password) throw authError('invalid_credentials');
  await runPasswordHook(ctx, caller, user, isValid === true);
  if (!isValid) throw authError('invalid_credentials');
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned');
  if (email !== '' && user.email_confirmed_at === null) throw authError('email_not_confirmed');
  if (phone !== '' && user.phone_confirmed_at === null) throw authError('phone_not_confirmed');
  await check(user);

  return ctx.pool.transaction(async (tx) => {
    await audit(ctx, tx, user, { action: 'login', traits: { provider: email !== '' ? 'email' : 'phone' } });
    const hash = user.encrypted_password ?? '';
    const contact = email !== '' ? 'email' : 'phone';
    return issueSession(ctx, tx, caller, {
      user,
      method: 'password',
      proof: { by: 'password', contact, hash },
    });
  });
}

async function isPassword(
  ctx: AuthContext,
  user: User | undefined,
  password: string,
): Promise<true | undefined> {
  const hash = user?.encrypted_password;
  if (hash) return (await ctx.passwords.verify(password, hash)) || undefined;
  await ctx.passwords.pretendToVerify(password);
  return undefined;
}

async function findForLogin(
  ctx: AuthContext,
  email: string,
  phone: string,
  aud: string,
): Promise<User | undefined> {
  const { settings } = ctx;
  if (email === '' && phone === '') throw authError('validation_failed', 'missing email or phone');
  if (email !== '' && !settings.email.enabled)
    throw authError('email_provider_disabled', undefined, { status: 422 });
  if (phone !== '' && !settings.phone.enabled)
    throw authError('phone_provider_disabled', undefined, { status: 422 });
  try {
    return await (email !== ''
      ? findUserByEmail(ctx.pool, email, aud)
      : findUserByPhone(ctx.pool, phone, aud));
  } catch (cause) {
    throw internalError('Database error querying schema', cause);
  }
}

async function runPasswordHook(ctx: AuthContext, caller: Caller, user: User, valid: boolean): Promise<void> {
  if (!ctx.settings.hooks.password_verification_attempt.enabled) return;
  const response = await runHook(ctx, caller, {
    name: 'password_verification_attempt',
    input: { user_id: user.id, valid },
  });
  if (response.decision !== 'reject') return;
  if (response.should_logout_user === true)
    await endAndNotify(ctx, user.id, (tx) => deleteSessions(tx, user.id));
  const message =
    typeof response.message === 'string' && response.message !== '' ? response.message : undefined;
  throw authError(
    'invalid_credentials',
    message ?? 'Further password verification attempts will be rejected.',
  );
}

/**
 * Sends a sign-in code and throws an error, unless the user has signed in on this device before. Signing in with the
 * code proves access to the mailbox, so the device counts as confirmed afterwards.
 * @throws {AuthError} device_not_confirmed, or over_email_send_rate_limit if the project can't send a code
 */
async function requireConfirmedDevice(ctx: AuthContext, caller: Caller, user: User): Promise<void> {
  if (!ctx.settings.security.confirmsNewDevices || !ctx.hasOwnTables) return;
  if (!user.email || user.email_confirmed_at === null) return;
  if (await isKnownDevice(ctx.pool, user.id, deviceKey(caller))) return;
  // If an email was sent recently, the code in it is still valid, so the user doesn't need another email.
  const hasRecentCode = () => isMailPausing(ctx, user.recovery_sent_at);
  if (!hasRecentCode()) {
    const sent = ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, { action: 'user_recovery_requested' });
      await sendTokenMail(ctx, tx, caller, { user, kind: 'new_device' });
    });
    await sent.catch((error: unknown) => {
      // A concurrent request has sent the code.
      if (!hasRecentCode()) throw error;
    });
  }
  throw authError('device_not_confirmed');
}
