/** Verifies codes and links: finds their owner and checks that they are still valid. */
import type { Queryable, Transaction } from '../../database/types.ts';
import type { SpendToken } from '../attempt-limits.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail, parsePhone } from '../core/contact.ts';
import { type Contact, contactStatus } from '../core/contact-status.ts';
import { hashMatches } from '../core/pkce.ts';
import { isBanned } from '../core/render-user.ts';
import { sameSecret, tokenHash } from '../core/secrets.ts';
import { toMs } from '../core/times.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { findOneTimeToken } from '../queries/one-time-tokens.ts';
import {
  awaitUser,
  findUserByEmail,
  findUserById,
  findUserByPhone,
  findUserByPhoneChange,
} from '../queries/users.ts';
import type { OneTimeTokenType, User } from '../rows.ts';
import {
  acceptEmailChange,
  acceptPhone,
  acceptRecovery,
  acceptSignUp,
  changePhone,
} from './confirm-changes.ts';
import { checkByProvider, checksCodes } from './text-messages.ts';
import { verifySecret } from './verify-secret.ts';

export interface VerifyRequest {
  readonly type: string;
  /** The hash of the token and its contact, or the hash from a link. */
  readonly hash: string;
  /** A typed code, with the address or number that it was sent to. */
  readonly typed: { readonly code: string; readonly email: string; readonly phone: string } | undefined;
}

export const singleConfirmationAccepted =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email';

/** Parses the fields of a POST body. Throws `validation_failed`. */
export function parseVerifyRequest(fields: {
  readonly type: string;
  readonly token: string;
  readonly tokenHash: string;
  readonly email: string;
  readonly phone: string;
  readonly redirectTo: string;
}): VerifyRequest {
  const { type, token, tokenHash: hash, email, phone } = fields;
  if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
  if ((token === '') === (hash === '')) {
    throw authError('validation_failed', 'Verify requires either a token or a token hash');
  }
  if (hash !== '') {
    if (email !== '' || phone !== '' || fields.redirectTo !== '') {
      throw authError('validation_failed', 'Only the token_hash and type should be provided');
    }
    return { type, hash, typed: undefined };
  }
  if (phone !== '' && email === '') {
    const parsed = parsePhone(phone);
    return { type, hash: tokenHash(parsed, token), typed: { code: token, email: '', phone: parsed } };
  }
  if (email !== '' && phone === '') {
    const parsed = parseTypedEmail(email);
    return { type, hash: tokenHash(parsed, token), typed: { code: token, email: parsed, phone: '' } };
  }
  throw authError('validation_failed', 'Only an email address or phone number should be provided on verify');
}

function parseTypedEmail(email: string): string {
  try {
    return parseEmail(email);
  } catch (cause) {
    throw authError('validation_failed', 'Invalid email format', { status: 422, cause });
  }
}

export interface VerifiedUser {
  readonly kind: 'user';
  readonly user: User;
  /** `email` was resolved to signup or magiclink. */
  readonly type: string;
}

/** The kind of contact that a code or link of this type is sent to. */
export function contactOf(type: string): Contact {
  return type === 'sms' || type === 'phone_change' ? 'phone' : 'email';
}

export type Verified =
  | VerifiedUser
  /** The first of two confirmations was accepted. */
  | { readonly kind: 'half' };

/**
 * Finds the owner of a code or link and performs the confirmation that it represents. Throws `otp_expired`,
 * `user_banned`.
 */
export async function verify(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  request: VerifyRequest,
  aud: string,
): Promise<Verified> {
  const { user, type } = request.typed
    ? await findByCode(ctx, tx, caller, request, aud)
    : await findByHash(ctx, tx, request);
  // A contact change was started by a session or an administrator. All other types can be requested by anyone.
  const isChange = type === 'email_change' || type === 'phone_change';
  if (!isChange && contactStatus(user, contactOf(type)) === 'closed') {
    throw request.typed ? authError('otp_expired') : invalidLink();
  }
  switch (type) {
    case 'signup':
    case 'invite':
      await acceptSignUp(ctx, tx, user);
      break;
    case 'recovery':
    case 'magiclink':
      await acceptRecovery(ctx, tx, user);
      break;
    case 'email_change':
      if ((await acceptEmailChange(ctx, tx, caller, user, request.hash)) === 'half') return { kind: 'half' };
      break;
    case 'sms':
      await acceptPhone(ctx, tx, user);
      break;
    case 'phone_change':
      await changePhone(ctx, tx, caller, user);
      break;
    default:
      throw authError('validation_failed', 'Unsupported verification type');
  }
  return { kind: 'user', user, type };
}

interface Found {
  readonly user: User;
  /** `email` was resolved to signup or magiclink. */
  readonly type: string;
}

const tokensOfType: Readonly<Record<string, readonly OneTimeTokenType[]>> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
};

const invalidLink = () => authError('otp_expired', 'Email link is invalid or has expired');

async function findByHash(ctx: AuthContext, tx: Transaction, { type, hash }: VerifyRequest): Promise<Found> {
  const types = Object.hasOwn(tokensOfType, type) ? tokensOfType[type] : undefined;
  if (!types) throw authError('validation_failed', 'Invalid email verification type');
  const owner = (await findOneTimeToken(tx, hash, types))?.user_id;
  if (owner === undefined) throw invalidLink();
  await awaitUser(tx, owner);
  // A concurrent request may have used the token.
  const token = await findOneTimeToken(tx, hash, types);
  const user = token && (await findUserById(tx, owner));
  if (!user) throw invalidLink();
  refuseBanned(ctx, user);
  const sentAt = {
    confirmation_token: user.confirmation_sent_at,
    recovery_token: user.recovery_sent_at,
    email_change_token_current: user.email_change_sent_at,
    email_change_token_new: user.email_change_sent_at,
    reauthentication_token: null,
    phone_change_token: null,
  }[token.token_type];
  if (isOver(ctx, sentAt, ctx.settings.email.otpExpiryMs)) throw invalidLink();
  if (type !== 'email') return { user, type };
  return { user, type: token.token_type === 'recovery_token' ? 'magiclink' : 'signup' };
}

async function findByCode(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  request: VerifyRequest,
  aud: string,
): Promise<Found> {
  const { type, hash } = request;
  const typed = request.typed ?? { code: '', email: '', phone: '' };
  const owner = await findOwner(ctx, tx, type, typed, hash, aud);
  // The code of an email change identifies the owner, so a wrong code has no owner.
  const ownerId = type === 'email_change' ? undefined : owner?.id;
  const guess = { account: typed.email || typed.phone, ownerId, tx };
  const found = await verifySecret(ctx, caller, 'one_time_code', guess, async (spendToken) => {
    if (!owner) return undefined;
    await awaitUser(tx, owner.id);
    // Reads the user again, now that no other request can use one of the user's codes.
    const user = await findUserById(tx, owner.id);
    if (!user) return undefined;
    refuseBanned(ctx, user);
    const kind = await kindOfCode(ctx, user, type, hash, typed, spendToken);
    return kind === undefined ? undefined : { user, type: kind };
  });
  if (!found) throw authError('otp_expired');
  return found;
}

/** Resolves the type of a code. Undefined if the code is wrong or expired, or its token has had too many attempts. */
async function kindOfCode(
  ctx: AuthContext,
  user: User,
  type: string,
  hash: string,
  typed: { readonly code: string; readonly phone: string },
  spendToken: SpendToken,
): Promise<string | undefined> {
  const { email, phone } = ctx.settings;
  const holds = async (stored: string | null, sentAt: string | null, lifetimeMs = email.otpExpiryMs) => {
    if (stored === null || stored === '' || isOver(ctx, sentAt, lifetimeMs)) return false;
    return (await spendToken(stored)) && hashMatches(hash, stored);
  };
  const isConfirmation = () => holds(user.confirmation_token, user.confirmation_sent_at);
  const isRecovery = () => holds(user.recovery_token, user.recovery_sent_at);
  switch (type) {
    case 'email':
      if (await isConfirmation()) return 'signup';
      return (await isRecovery()) ? 'magiclink' : undefined;
    case 'signup':
    case 'invite':
      return (await isConfirmation()) ? type : undefined;
    case 'recovery':
    case 'magiclink':
      return (await isRecovery()) ? type : undefined;
    case 'email_change': {
      const { email_change_sent_at: sentAt } = user;
      const isEither =
        (await holds(user.email_change_token_current, sentAt)) ||
        (await holds(user.email_change_token_new, sentAt));
      return isEither ? type : undefined;
    }
    case 'sms':
    case 'phone_change': {
      const fixed = phone.testCodes.get(typed.phone);
      if (fixed !== undefined && sameSecret(fixed, typed.code)) return type;
      const isChange = type === 'phone_change';
      const sentAt = isChange ? user.phone_change_sent_at : user.confirmation_sent_at;
      if (checksCodes(ctx) && !ctx.settings.hooks.send_sms.enabled) {
        if (!(await spendToken(`${typed.phone} ${sentAt}`))) return undefined;
        await checkByProvider(ctx, (isChange ? user.phone_change : user.phone) ?? '', typed.code);
        return type;
      }
      const stored = isChange ? user.phone_change_token : user.confirmation_token;
      return (await holds(stored, sentAt, phone.otpExpiryMs)) ? type : undefined;
    }
    default:
      return undefined;
  }
}

async function findOwner(
  ctx: AuthContext,
  tx: Transaction,
  type: string,
  typed: { readonly email: string; readonly phone: string },
  hash: string,
  aud: string,
): Promise<User | undefined> {
  try {
    if (type === 'phone_change') return await findUserByPhoneChange(tx, typed.phone, aud);
    if (type === 'sms') return await findUserByPhone(tx, typed.phone, aud);
    if (type === 'email_change') return await findByEmailChange(ctx, tx, hash);
    return await findUserByEmail(tx, typed.email, aud);
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError('Database error finding user', cause);
  }
}

/** The address may be the old or the new one, so the hash identifies the owner. */
async function findByEmailChange(ctx: AuthContext, db: Queryable, hash: string): Promise<User | undefined> {
  const types: OneTimeTokenType[] = ctx.settings.email.doubleConfirmChanges
    ? ['email_change_token_current', 'email_change_token_new']
    : ['email_change_token_new'];
  const token =
    (await findOneTimeToken(db, hash, types)) ?? (await findOneTimeToken(db, `pkce_${hash}`, types));
  return token && findUserById(db, token.user_id);
}

function refuseBanned(ctx: AuthContext, user: User): void {
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
}

function isOver(ctx: AuthContext, sentAt: string | null, lifetimeMs: number): boolean {
  return sentAt === null || ctx.clock.now() > toMs(sentAt) + lifetimeMs;
}

/**
 * Verifies the nonce of GET /reauthenticate for a password change. Throws `reauthentication_not_valid`, and
 * `otp_expired` if the SMS provider checks codes.
 */
export async function requireNonce(
  ctx: AuthContext,
  caller: Caller,
  user: User,
  nonce: string,
): Promise<void> {
  const stored = user.reauthentication_token;
  const wasAsked = stored !== null && stored !== '' && user.reauthentication_sent_at !== null;
  if (!wasAsked) throw authError('reauthentication_not_valid');
  const isRight = await verifySecret(
    ctx,
    caller,
    'reauthentication_nonce',
    { account: user.id },
    async (spendToken) =>
      ((await spendToken(stored)) && (await isNonce(ctx, user, stored, nonce))) || undefined,
  );
  if (!isRight) throw authError('reauthentication_not_valid');
}

async function isNonce(ctx: AuthContext, user: User, stored: string, nonce: string): Promise<boolean> {
  const email = user.email ?? '';
  const phone = user.phone ?? '';
  if (email === '' && checksCodes(ctx)) {
    await checkByProvider(ctx, phone, nonce);
    return true;
  }
  const [owner, lifetimeMs] =
    email === '' ? [phone, ctx.settings.phone.otpExpiryMs] : [email, ctx.settings.email.otpExpiryMs];
  return (
    !isOver(ctx, user.reauthentication_sent_at, lifetimeMs) && hashMatches(tokenHash(owner, nonce), stored)
  );
}
