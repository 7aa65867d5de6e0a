/** Sign-up with an email address or a phone number, shared by /signup, /otp and /magiclink. */

import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../database/types.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail, parsePhone } from '../core/contact.ts';
import { contactStatus, isPrepared } from '../core/contact-status.ts';
import type { IssuedSession } from '../core/issued-session.ts';
import type { JsonObject } from '../core/json.ts';
import { type Challenge, parseChallenge } from '../core/pkce.ts';
import { renderUser } from '../core/render-user.ts';
import { fromMs, toMs } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import { insertFlowState } from '../queries/flow-states.ts';
import {
  awaitUser,
  findUserById,
  findUserByPhone,
  findUserWithEmail,
  type NewUser,
} from '../queries/users.ts';
import type { Identity, User } from '../rows.ts';
import {
  addIdentity,
  confirmEmail,
  confirmPhone,
  createUser,
  draftUser,
  emptyUser,
  identityClaims,
  type Provider,
  runAfterUserCreated,
  runBeforeUserCreated,
  setUserMetadata,
  syncProviders,
} from './accounts.ts';
import { audit } from './audit.ts';
import { sendTokenMail } from './mail-tokens.ts';
import { requireStrongPassword } from './password-strength.ts';
import { type Channel, parseChannel, sendPhoneCode } from './phone-codes.ts';
import { nothing, resetUnclaimed } from './reset-unclaimed.ts';
import { retryOnConflict } from './retry-conflicts.ts';
import { issueSession } from './sessions.ts';

export interface SignUpRequest {
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data: JsonObject;
  readonly channel: string;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  readonly aud: string;
}

export type SignUpOutcome =
  | { readonly kind: 'session'; readonly session: IssuedSession }
  /** The account needs confirmation, or the contact is taken and the response looks the same as for a new account. */
  | { readonly kind: 'user'; readonly user: JsonObject };

interface Checked {
  readonly provider: Provider;
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly data: JsonObject;
  readonly channel: Channel;
  readonly challenge: Challenge | undefined;
  readonly aud: string;
}

export async function signUp(
  ctx: AuthContext,
  caller: Caller,
  request: SignUpRequest,
): Promise<SignUpOutcome> {
  const checked = await check(ctx, request);
  return retryOnConflict(() => signUpChecked(ctx, caller, checked));
}

async function signUpChecked(ctx: AuthContext, caller: Caller, checked: Checked): Promise<SignUpOutcome> {
  const existing = await findExisting(ctx, checked);
  if (existing) return signUpAgain(ctx, caller, existing, checked);
  const draft = await draftUser(ctx, checked);
  await runBeforeUserCreated(ctx, caller, draft);
  const isHidden = hidesAccounts(ctx, checked.provider);
  const user = await ctx.pool.transaction(async (tx) => {
    const created = await register(ctx, tx, draft, checked);
    if (!isHidden && !isAnyConfirmed(created)) await requestConfirmation(ctx, tx, caller, created, checked);
    return created;
  });
  await runAfterUserCreated(ctx, caller, user);
  if (isAnyConfirmed(user)) {
    const session = await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'login', { traits: { provider: checked.provider } });
      return issueSession(ctx, tx, caller, user, 'password', { by: 'creation' });
    });
    return { kind: 'session', session };
  }
  if (!isHidden) return { kind: 'user', user: renderUser(user) };
  const answer = renderUser({ ...user, confirmation_sent_at: fromMs(ctx.clock.now()) });
  await ctx.backgroundWork.do(true, () =>
    ctx.pool.transaction((tx) => requestConfirmation(ctx, tx, caller, user, checked)),
  );
  return { kind: 'user', user: answer };
}

const isAnyConfirmed = (user: User): boolean =>
  user.email_confirmed_at !== null || user.phone_confirmed_at !== null;

/**
 * Handles a sign-up with a contact that already has an account. The request gets no session. An unclaimed account gets
 * the new password and metadata, and a new code is sent for them, so that only the reader of that code can confirm
 * them.
 */
async function signUpAgain(
  ctx: AuthContext,
  caller: Caller,
  existing: User,
  checked: Checked,
): Promise<SignUpOutcome> {
  if (!isOpen(ctx, existing, checked)) return answerRepeated(ctx, existing, checked);
  const passwordHash = await ctx.passwords.hash(checked.password);
  const answer = hidesAccounts(ctx, checked.provider) && (await invent(ctx, checked));
  let user: User | undefined;
  await ctx.backgroundWork.do(answer !== false, async () => {
    user = await replaceSignUp(ctx, caller, existing, checked, passwordHash);
  });
  if (answer !== false) return { kind: 'user', user: renderUser(answer) };
  if (!user) return answerRepeated(ctx, existing, checked);
  if (!isPrepared(user)) return { kind: 'user', user: renderUser(user) };
  return { kind: 'user', user: renderUser({ ...user, raw_user_meta_data: {}, identities: [] }) };
}

/** Undefined if the account was claimed in the meantime. Throws 429 if it is too early for another code. */
async function replaceSignUp(
  ctx: AuthContext,
  caller: Caller,
  existing: User,
  checked: Checked,
  passwordHash: string,
): Promise<User | undefined> {
  let isTooEarly = false;
  const user = await ctx.pool.transaction(async (tx) => {
    await awaitUser(tx, existing.id);
    const current = await findUserById(tx, existing.id);
    if (!current || !isOpen(ctx, current, checked)) return undefined;
    isTooEarly = isPausing(ctx, current, checked.provider);
    if (isTooEarly) {
      await contest(ctx, tx, current, checked);
      return current;
    }
    await resetUnclaimed(ctx, tx, current, checked.provider, { passwordHash, data: checked.data });
    await requestConfirmation(ctx, tx, caller, current, checked);
    return current;
  });
  // The `contest` transaction is committed by now.
  if (user && isTooEarly)
    await ctx.pool.transaction((tx) => requestConfirmation(ctx, tx, caller, user, checked));
  return user;
}

/** Whether the last code is too recent to send another. */
function isPausing({ settings, clock }: AuthContext, user: User, provider: Provider): boolean {
  const { confirmation_sent_at: sentAt } = user;
  return sentAt !== null && clock.now() < toMs(sentAt) + settings[provider].maxFrequencyMs;
}

/**
 * Two sign-ups share one code, so the code can't show whose password counts. Unless the passwords are equal, neither
 * counts.
 */
async function contest(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { provider, password }: Checked,
): Promise<void> {
  if (await ctx.passwords.verify(password, user.encrypted_password ?? '')) return;
  await resetUnclaimed(ctx, tx, user, provider, nothing);
}

/** Whether the account with this contact is unclaimed and a code will prove who owns it. */
function isOpen(ctx: AuthContext, user: User, { provider, email, phone }: Checked): boolean {
  const isOwnColumn = provider === 'email' ? user.email?.toLowerCase() === email : user.phone === phone;
  return isOwnColumn && contactStatus(user, provider) === 'unclaimed' && !confirmsAtOnce(ctx, provider);
}

/** Autoconfirm can't hide accounts, because a new account gets a session immediately. */
function hidesAccounts(ctx: AuthContext, provider: Provider): boolean {
  return ctx.settings[provider].hidesAccounts && !confirmsAtOnce(ctx, provider);
}

function confirmsAtOnce({ settings }: AuthContext, provider: Provider): boolean {
  return settings[provider].autoconfirm;
}

/** Checks in upstream's order, which determines the error that is returned. */
async function check(ctx: AuthContext, request: SignUpRequest): Promise<Checked> {
  const { settings } = ctx;
  if (!settings.signupEnabled) throw authError('signup_disabled');
  if (request.password === '') throw authError('validation_failed', 'Signup requires a valid password');
  await requireStrongPassword(ctx, request.password);
  if (request.email !== '' && request.phone !== '') {
    throw authError(
      'validation_failed',
      'Only an email address or phone number should be provided on signup.',
    );
  }
  const provider = request.email !== '' ? 'email' : 'phone';
  const channel = provider === 'phone' ? parseChannel(ctx, request.channel) : 'sms';
  if (request.phone !== '' && request.codeChallenge !== '') {
    throw authError('validation_failed', 'PKCE not supported for phone signups');
  }
  const challenge = parseChallenge(request.codeChallenge, request.codeChallengeMethod);
  if (provider === 'email' && !settings.email.enabled) {
    throw authError('email_provider_disabled', 'Email signups are disabled');
  }
  if (provider === 'phone' && !settings.phone.enabled) {
    throw authError('phone_provider_disabled', 'Phone signups are disabled');
  }
  return {
    provider,
    email: provider === 'email' ? parseEmail(request.email) : '',
    phone: provider === 'phone' ? parsePhone(request.phone) : '',
    password: request.password,
    data: request.data,
    channel,
    challenge,
    aud: request.aud,
  };
}

async function findExisting(ctx: AuthContext, checked: Checked): Promise<User | undefined> {
  try {
    return checked.provider === 'email'
      ? await findUserWithEmail(ctx.pool, checked.email, checked.aud)
      : await findUserByPhone(ctx.pool, checked.phone, checked.aud);
  } catch (cause) {
    throw internalError('Database error finding user', cause);
  }
}

async function register(ctx: AuthContext, tx: Transaction, draft: NewUser, checked: Checked): Promise<User> {
  const { provider } = checked;
  const user = await createUser(ctx, tx, draft);
  user.identities = [await firstIdentity(ctx, tx, user, checked)];
  if (!confirmsAtOnce(ctx, provider)) return user;
  const traits = { provider, ...(provider === 'phone' ? { channel: checked.channel } : {}) };
  await audit(ctx, tx, user, 'user_signedup', { traits });
  await (provider === 'email' ? confirmEmail(ctx, tx, user) : confirmPhone(ctx, tx, user));
  return user;
}

async function requestConfirmation(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  { provider, phone, channel, challenge }: Checked,
): Promise<void> {
  await audit(ctx, tx, user, 'user_confirmation_requested', { traits: { provider } });
  if (provider === 'phone') {
    await sendPhoneCode(ctx, tx, caller, user, { phone, kind: 'confirmation', channel });
    return;
  }
  if (challenge) {
    const flow = {
      userId: user.id,
      providerType: 'email',
      authenticationMethod: 'email/signup',
      challenge,
    };
    await insertFlowState(tx, flow, ctx.clock.now());
  }
  await sendTokenMail(ctx, tx, caller, user, 'signup', challenge !== undefined);
}

/** Adds the first identity and copies its data to user_metadata. */
async function firstIdentity(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  checked: Checked,
): Promise<Identity> {
  // Upstream stores no number in the identity of a phone sign-up, so its claims include only the email address.
  const data = {
    ...checked.data,
    ...identityClaims(user, checked.email === '' ? {} : { email: checked.email }),
  };
  const identity = await addIdentity(ctx, tx, user, checked.provider, data);
  await setUserMetadata(ctx, tx, user, {
    ...withoutOld(user.raw_user_meta_data ?? {}),
    ...identity.identity_data,
  });
  await syncProviders(ctx, tx, user);
  return identity;
}

/** Nulls for the existing keys, so that a merge replaces the object. */
function withoutOld(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(metadata).map((key) => [key, null]));
}

/**
 * The response for a taken contact. With autoconfirm, the response is an error. Otherwise, it looks like the response
 * for a new account, with a made-up id. Upstream reveals a taken contact by omitting the identity.
 */
async function answerRepeated(ctx: AuthContext, user: User, checked: Checked): Promise<SignUpOutcome> {
  await ctx.pool.transaction((tx) =>
    audit(ctx, tx, user, 'user_repeated_signup', { traits: { provider: checked.provider } }),
  );
  if (confirmsAtOnce(ctx, checked.provider)) throw authError('user_already_exists');
  await ctx.passwords.pretendToVerify(checked.password);
  const invented = await invent(ctx, checked);
  if (hidesAccounts(ctx, checked.provider)) return { kind: 'user', user: renderUser(invented) };
  const shown = { ...invented, role: '', raw_user_meta_data: checked.data, identities: [] };
  return { kind: 'user', user: renderUser(shown) };
}

/** A made-up account, in the state right after a sign-up. */
async function invent(ctx: AuthContext, checked: Checked): Promise<User> {
  const draft = await draftUser(ctx, { ...checked, password: '' });
  const now = fromMs(ctx.clock.now());
  const claims = checked.email === '' ? {} : { email: checked.email };
  const identityData = { ...checked.data, ...identityClaims({ ...emptyUser, id: draft.id }, claims) };
  const identity: Identity = {
    id: randomUUID(),
    provider_id: draft.id,
    user_id: draft.id,
    identity_data: identityData,
    provider: checked.provider,
    last_sign_in_at: now,
    created_at: now,
    updated_at: now,
    email: checked.email || null,
  };
  return {
    ...emptyUser,
    id: draft.id,
    aud: checked.aud,
    role: ctx.settings.defaultRole.trim(),
    email: draft.email,
    phone: draft.phone,
    created_at: now,
    updated_at: now,
    confirmation_sent_at: now,
    raw_app_meta_data: draft.appMetaData as JsonObject,
    raw_user_meta_data: identityData,
    identities: [identity],
  };
}
