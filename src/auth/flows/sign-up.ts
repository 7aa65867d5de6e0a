/** Sign-up with an email address or a phone number, shared by /signup, /otp and /magiclink. */

import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail, parsePhone } from '../core/contact.ts';
import type { JsonObject } from '../core/json.ts';
import { type Challenge, parseChallenge } from '../core/pkce.ts';
import { renderUser } from '../core/render-user.ts';
import { fromMs } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { insertFlowState } from '../queries/flow-states.ts';
import { deleteIdentity, findIdentity } from '../queries/identities.ts';
import { findUserByPhone, findUserWithEmail, type NewUser } from '../queries/users.ts';
import type { Identity, User } from '../rows.ts';
import {
  addIdentity,
  askBeforeUserCreated,
  confirmEmail,
  confirmPhone,
  createUser,
  draftUser,
  identityClaims,
  type Provider,
  setUserMetadata,
  syncProviders,
  tellUserCreated,
} from './accounts.ts';
import { audit } from './audit.ts';
import { sendTokenMail } from './mail-tokens.ts';
import { requireStrongPassword } from './password-strength.ts';
import { type Channel, parseChannel, sendPhoneCode } from './phone-codes.ts';
import { despiteRivals } from './rivals.ts';
import { type IssuedSession, issueSession } from './sessions.ts';

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
  /** Waits for confirmation; or looks as if it did. */
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
  exchange: Exchange,
  request: SignUpRequest,
): Promise<SignUpOutcome> {
  const checked = await check(ctx, request);
  return despiteRivals(() => signUpChecked(ctx, exchange, checked));
}

async function signUpChecked(ctx: AuthContext, exchange: Exchange, checked: Checked): Promise<SignUpOutcome> {
  const existing = await findExisting(ctx, checked);
  const isConfirmed =
    checked.provider === 'email' ? existing?.email_confirmed_at : existing?.phone_confirmed_at;
  if (existing && isConfirmed) return answerRepeated(ctx, existing, checked);

  let draft: NewUser | undefined;
  if (!existing) {
    draft = await draftUser(ctx, checked);
    await askBeforeUserCreated(ctx, exchange, draft);
  } else {
    // The account of somebody else perhaps: nothing of it is changed. Yet it must not answer sooner than a new one.
    await ctx.passwords.pretendToVerify(checked.password);
  }
  const user = await ctx.pool.transaction((tx) => register(ctx, tx, exchange, existing, draft, checked));
  if (!existing) await tellUserCreated(ctx, exchange, user);
  if (user.email_confirmed_at !== null || user.phone_confirmed_at !== null) {
    const session = await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'login', { traits: { provider: checked.provider } });
      return issueSession(ctx, tx, exchange, user, 'password');
    });
    return { kind: 'session', session };
  }
  if (user.invited_at !== null)
    return { kind: 'user', user: renderUser({ ...user, raw_user_meta_data: {}, identities: [] }) };
  return { kind: 'user', user: renderUser(user) };
}

/** In upstream's order: what is wrong first is told first. */
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

async function register(
  ctx: AuthContext,
  tx: Transaction,
  exchange: Exchange,
  existing: User | undefined,
  draft: NewUser | undefined,
  checked: Checked,
): Promise<User> {
  const { provider } = checked;
  const user = existing ?? (draft ? await createUser(ctx, tx, draft) : undefined);
  if (!user) throw internalError('Database error saving new user');
  const identity =
    (await findIdentity(tx, user.id, provider)) ?? (await firstIdentity(ctx, tx, user, checked));
  user.identities = [identity];
  const isAutoconfirm =
    provider === 'email' ? ctx.settings.email.autoconfirm : ctx.settings.phone.autoconfirm;
  const isPhoneAtOnce = provider === 'phone' && isAutoconfirm;
  const traits = { provider, ...(isPhoneAtOnce ? { channel: checked.channel } : {}) };
  await audit(ctx, tx, user, isAutoconfirm ? 'user_signedup' : 'user_confirmation_requested', { traits });
  if (isAutoconfirm) await (provider === 'email' ? confirmEmail(ctx, tx, user) : confirmPhone(ctx, tx, user));
  else if (provider === 'phone') {
    await sendPhoneCode(ctx, tx, exchange, user, {
      phone: checked.phone,
      kind: 'confirmation',
      channel: checked.channel,
    });
  } else {
    if (checked.challenge) {
      const flow = {
        userId: user.id,
        providerType: 'email',
        authenticationMethod: 'email/signup',
        challenge: checked.challenge,
      };
      await insertFlowState(tx, flow, ctx.clock.now());
    }
    await sendTokenMail(ctx, tx, exchange, user, 'signup', checked.challenge !== undefined);
  }
  return user;
}

/** The identity, its data copied to user_metadata; identities of others that were never confirmed go. */
async function firstIdentity(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  checked: Checked,
): Promise<Identity> {
  // Upstream's identity of a phone sign-up knows no number: the claims are made of the email alone.
  const data = {
    ...checked.data,
    ...identityClaims(user, checked.email === '' ? {} : { email: checked.email }),
  };
  const identity = await addIdentity(ctx, tx, user, checked.provider, data);
  await setUserMetadata(ctx, tx, user, {
    ...withoutOld(user.raw_user_meta_data ?? {}),
    ...identity.identity_data,
  });
  for (const other of user.identities ?? []) await deleteIdentity(tx, other.id);
  await syncProviders(ctx, tx, user);
  return identity;
}

/** Nulls for what was there before, so that merging replaces instead. */
function withoutOld(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(metadata).map((key) => [key, null]));
}

/**
 * A confirmed account exists. Where sign-up confirms at once nothing can be hidden; else the answer is that of a new
 * account, with an id nobody has.
 */
async function answerRepeated(ctx: AuthContext, user: User, checked: Checked): Promise<SignUpOutcome> {
  await ctx.pool.transaction((tx) =>
    audit(ctx, tx, user, 'user_repeated_signup', { traits: { provider: checked.provider } }),
  );
  if (ctx.settings.email.autoconfirm || ctx.settings.phone.autoconfirm)
    throw authError('user_already_exists');
  await ctx.passwords.pretendToVerify(checked.password);
  const draft = await draftUser(ctx, { ...checked, password: '' });
  const now = fromMs(ctx.clock.now());
  const invented: User = {
    ...user,
    id: draft.id,
    aud: checked.aud,
    role: '',
    email: draft.email,
    phone: draft.phone,
    email_change: '',
    phone_change: '',
    created_at: now,
    updated_at: now,
    confirmation_sent_at: now,
    last_sign_in_at: null,
    confirmed_at: null,
    email_change_sent_at: null,
    phone_change_sent_at: null,
    recovery_sent_at: null,
    reauthentication_sent_at: null,
    invited_at: null,
    banned_until: null,
    deleted_at: null,
    email_confirmed_at: null,
    phone_confirmed_at: null,
    raw_app_meta_data: draft.appMetaData as JsonObject,
    raw_user_meta_data: checked.data,
    identities: [],
    factors: [],
    is_anonymous: false,
  };
  return { kind: 'user', user: renderUser(invented) };
}
