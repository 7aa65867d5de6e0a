/** Signs users up with an email address or a phone number. Used by the endpoints /signup, /otp and /magiclink. */
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import { isEmail, parseEmail } from '../common/contact.ts';
import type { JsonObject } from '../common/json.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { Identity, User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { findUserByEmail, findUserByPhone, findUserWithEmail, type NewUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import {
  addIdentity,
  confirmEmail,
  confirmPhone,
  createUser,
  draftUser,
  identityClaims,
  runAfterUserCreated,
  runBeforeUserCreated,
  setUserMetadata,
  syncProviders,
} from './accounts.ts';
import {
  type CheckedSignUp,
  checkSignUp,
  confirmsImmediately,
  hidesAccounts,
  type SignUpRequest,
} from './check.ts';
import { signUpAgain } from './repeated.ts';
import { requestConfirmation } from './request-confirmation.ts';

export type SignUpOutcome =
  | { readonly kind: 'session'; readonly session: IssuedSession }
  /**
   * No session was issued, because the account must be confirmed first or the contact already has an account. If the
   * project conceals accounts, the response looks the same in both cases.
   */
  | { readonly kind: 'user'; readonly user: User };

/**
 * Whether the address can be used for a new account. Returns false for every address if the project conceals accounts.
 */
export async function canSignUpWith(ctx: AuthContext, email: string, aud: string): Promise<boolean> {
  const { email: settings, signupEnabled } = ctx.settings;
  if (settings.hidesAccounts || !settings.enabled || !signupEnabled || !isEmail(email)) return false;
  return (await findUserByEmail(ctx.pool, parseEmail(email), aud)) === undefined;
}

export async function signUp(
  ctx: AuthContext,
  caller: Caller,
  request: SignUpRequest,
): Promise<SignUpOutcome> {
  const checked = await checkSignUp(ctx, request);
  return retryOnConflict(() => signUpChecked(ctx, caller, checked));
}

async function signUpChecked(
  ctx: AuthContext,
  caller: Caller,
  checked: CheckedSignUp,
): Promise<SignUpOutcome> {
  const existing = await findExisting(ctx, checked);
  if (existing) return { kind: 'user', user: await signUpAgain(ctx, caller, existing, checked) };
  const drafted = await draftUser(ctx, checked);
  // The password is always hashed, so that the response time doesn't reveal whether an account exists.
  const draft = checked.byCode ? { ...drafted, encryptedPassword: '' } : drafted;
  await runBeforeUserCreated(ctx, caller, draft);
  const isHidden = hidesAccounts(ctx, checked.provider);
  const user = await ctx.pool.transaction(async (tx) => {
    const created = await register(ctx, tx, draft, checked);
    if (!isHidden && !isAnyConfirmed(created))
      await requestConfirmation(ctx, tx, caller, { user: created, checked });
    return created;
  });
  await runAfterUserCreated(ctx, caller, user);
  if (isAnyConfirmed(user)) {
    const session = await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, { action: 'login', traits: { provider: checked.provider } });
      return issueSession(ctx, tx, caller, { user, method: 'password', proof: { by: 'creation' } });
    });
    return { kind: 'session', session };
  }
  if (!isHidden) return { kind: 'user', user };
  const response = { ...user, confirmation_sent_at: fromMs(ctx.clock.now()) };
  await ctx.backgroundWork.do(true, () =>
    ctx.pool.transaction((tx) => requestConfirmation(ctx, tx, caller, { user, checked })),
  );
  return { kind: 'user', user: response };
}

const isAnyConfirmed = (user: User): boolean =>
  user.email_confirmed_at !== null || user.phone_confirmed_at !== null;

async function findExisting(ctx: AuthContext, checked: CheckedSignUp): Promise<User | undefined> {
  try {
    return checked.provider === 'email'
      ? await findUserWithEmail(ctx.pool, checked.email, checked.aud)
      : await findUserByPhone(ctx.pool, checked.phone, checked.aud);
  } catch (cause) {
    throw internalError('Database error finding user', cause);
  }
}

async function register(
  ctx: AuthContext,
  tx: Transaction,
  draft: NewUser,
  checked: CheckedSignUp,
): Promise<User> {
  const { provider } = checked;
  const user = await createUser(ctx, tx, draft);
  user.identities = [await firstIdentity(ctx, tx, user, checked)];
  if (!confirmsImmediately(ctx, provider)) return user;
  const traits = { provider, ...(provider === 'phone' ? { channel: checked.channel } : {}) };
  await audit(ctx, tx, user, { action: 'user_signedup', traits });
  await (provider === 'email' ? confirmEmail(ctx, tx, user) : confirmPhone(ctx, tx, user));
  return user;
}

/** Adds the first identity and copies the identity's data into user_metadata. */
async function firstIdentity(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  checked: CheckedSignUp,
): Promise<Identity> {
  // As in upstream, the identity's claims never include the phone number.
  const data = {
    ...checked.data,
    ...identityClaims(user, checked.email === '' ? {} : { email: checked.email }),
  };
  const identity = await addIdentity(ctx, tx, user, { provider: checked.provider, data });
  await setUserMetadata(ctx, tx, user, {
    ...withoutOld(user.raw_user_meta_data ?? {}),
    ...identity.identity_data,
  });
  await syncProviders(ctx, tx, user);
  return identity;
}

/** Returns the metadata with all values set to null, so that merging it removes the keys. */
function withoutOld(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(metadata).map((key) => [key, null]));
}

/**
 * Creates a guest and the guest's session.
 * @throws {AuthError} anonymous_provider_disabled, signup_disabled, over_request_rate_limit
 */
export async function signUpAnonymously(
  ctx: AuthContext,
  caller: Caller,
  data: JsonObject,
): Promise<IssuedSession> {
  if (!ctx.settings.anonymousEnabled) throw authError('anonymous_provider_disabled');
  await ctx.limits.address('anonymous', caller.ip, ctx.clock.now());
  if (!ctx.settings.signupEnabled) throw authError('signup_disabled');
  const aud = audienceOf(ctx, caller);
  const draft = await draftUser(ctx, { aud, provider: undefined, data });
  await runBeforeUserCreated(ctx, caller, draft);
  const made = ctx.pool.transaction(async (tx) =>
    issueSession(ctx, tx, caller, {
      user: await createUser(ctx, tx, draft),
      method: 'anonymous',
      proof: { by: 'creation' },
    }),
  );
  const session = await made.catch((cause: unknown) => {
    // If a trigger raised the error, returns the trigger's error, because older clients expect this error.
    const origin = cause instanceof AuthError ? (cause.cause ?? cause) : cause;
    throw internalError('Database error creating anonymous user', origin);
  });
  await runAfterUserCreated(ctx, caller, session.user);
  return session;
}
