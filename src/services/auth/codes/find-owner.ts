/** Finds the user who received a code or link, and checks that the code or link is still valid. */
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { hashMatches, withFlowPrefix } from '../common/pkce.ts';
import { isBanned } from '../common/render-user.ts';
import type { OneTimeTokenType, User } from '../common/rows.ts';
import { sameSecret } from '../common/secrets.ts';
import { toMs } from '../common/times.ts';
import {
  awaitUser,
  findUserByEmail,
  findUserById,
  findUserByPhone,
  findUserByPhoneChange,
} from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import type { ConsumeToken } from '../limits/attempts.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { checkByProvider, checksCodes } from '../messages/send-text.ts';
import { findOneTimeToken, findOwnerOfEmailChange, type OneTimeToken } from './queries.ts';
import type { VerifyRequest } from './verify-request.ts';

/** Whether a code has expired. A code that was never sent counts as expired. */
export function isCodeExpired(sentAt: string | null, lifetimeMs: number, nowMs: number): boolean {
  return sentAt === null || nowMs > toMs(sentAt) + lifetimeMs;
}

/** The user who received a code or link. */
interface TokenOwner {
  readonly user: User;
  /** The resolved type, which is `signup` or `magiclink` if the requested type is `email`. */
  readonly type: string;
}

/** The user who received a link. */
interface LinkOwner extends TokenOwner {
  readonly tokenType: OneTimeTokenType;
}

const tokensOfType: Readonly<Record<string, readonly OneTimeTokenType[]>> = {
  email: ['confirmation_token', 'recovery_token'],
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  recovery: ['recovery_token'],
  magiclink: ['recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
};

export const invalidLink = () => authError('otp_expired', 'Email link is invalid or has expired');

/**
 * Finds the user to whom a token was sent, and locks the user's row. Returns undefined if the token is unknown, or if a
 * concurrent request has used it.
 */
export async function lockTokenOwner(
  tx: Transaction,
  hash: string,
  types: readonly OneTimeTokenType[],
): Promise<{ token: OneTimeToken; user: User } | undefined> {
  const owner = (await findOneTimeToken(tx, hash, types))?.user_id;
  if (owner === undefined) return undefined;
  await awaitUser(tx, owner);
  const token = await findOneTimeToken(tx, hash, types);
  const user = token && (await findUserById(tx, token.user_id));
  return user && { token, user };
}

/**
 * Returns the lifetime of the link that confirms the user's address. The link is an invitation if both times are equal,
 * because a confirmation email that is sent later replaces the link and changes only `confirmation_sent_at`.
 */
export function confirmationLinkLifetimeMs(
  { settings: { email, mail } }: AuthContext,
  { invited_at: invitedAt, confirmation_sent_at: sentAt }: User,
): number {
  return invitedAt !== null && invitedAt === sentAt ? mail.invitationExpiryMs : email.otpExpiryMs;
}

/** Finds the user who received a link. Throws `otp_expired`, `user_banned` or `validation_failed`. */
export async function findByHash(
  ctx: AuthContext,
  tx: Transaction,
  { type, hash }: VerifyRequest,
): Promise<LinkOwner> {
  const types = Object.hasOwn(tokensOfType, type) ? tokensOfType[type] : undefined;
  if (!types) throw authError('validation_failed', 'Invalid email verification type');
  const found = await lockTokenOwner(tx, hash, types);
  if (!found) throw invalidLink();
  const { token, user } = found;
  rejectBanned(ctx, user);
  const tokenType = token.token_type;
  const sentAt = {
    confirmation_token: user.confirmation_sent_at,
    recovery_token: user.recovery_sent_at,
    email_change_token_current: user.email_change_sent_at,
    email_change_token_new: user.email_change_sent_at,
    reauthentication_token: null,
    phone_change_token: null,
  }[tokenType];
  const lifetimeMs =
    tokenType === 'confirmation_token'
      ? confirmationLinkLifetimeMs(ctx, user)
      : ctx.settings.email.otpExpiryMs;
  if (isCodeExpired(sentAt, lifetimeMs, ctx.clock.now())) throw invalidLink();
  if (type !== 'email') return { user, type, tokenType };
  return { user, type: tokenType === 'recovery_token' ? 'magiclink' : 'signup', tokenType };
}

/**
 * Finds the user who received a code, and counts wrong codes. Throws `otp_expired`, `user_banned` or
 * `over_request_rate_limit`.
 */
export async function findByCode(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { request, aud }: { readonly request: VerifyRequest; readonly aud: string },
): Promise<TokenOwner> {
  const { type, hash } = request;
  const typed = request.typed ?? { code: '', email: '', phone: '' };
  const find = () => findOwner(ctx, tx, { type, typed, hash, aud });
  // The user of an email change is found by the code, so the owner of a wrong code is unknown. The lookup is part of
  // the comparison, because its duration depends on whether the code is right.
  const isFoundByCode = type === 'email_change';
  const known = isFoundByCode ? undefined : await find();
  const guess = { account: typed.email || typed.phone, ownerId: known?.id, tx };
  const found = await verifySecret(ctx, caller, { kind: 'one_time_code', ...guess }, async (consumeToken) => {
    const owner = isFoundByCode ? await find() : known;
    if (!owner) return undefined;
    await awaitUser(tx, owner.id);
    // Reads the user again after acquiring the lock, because another request may have used the user's codes before.
    const user = await findUserById(tx, owner.id);
    if (!user) return undefined;
    rejectBanned(ctx, user);
    const kind = await kindOfCode(ctx, { user, type, hash, typed, consumeToken });
    return kind === undefined ? undefined : { user, type: kind };
  });
  if (!found) throw authError('otp_expired');
  return found;
}

/** A typed code that is compared with the codes sent to the user. */
interface CodeCheck {
  readonly user: User;
  readonly type: string;
  readonly hash: string;
  readonly typed: { readonly code: string; readonly email: string; readonly phone: string };
  readonly consumeToken: ConsumeToken;
}

/**
 * Returns the resolved type of a code. Returns undefined if the code is wrong or expired, or if the attempts for the
 * code are used up.
 */
async function kindOfCode(
  ctx: AuthContext,
  { user, type, hash, typed, consumeToken }: CodeCheck,
): Promise<string | undefined> {
  const { email, phone } = ctx.settings;
  const holds = async (stored: string | null, sentAt: string | null, lifetimeMs = email.otpExpiryMs) => {
    if (stored === null || stored === '' || isCodeExpired(sentAt, lifetimeMs, ctx.clock.now())) return false;
    return (await consumeToken(stored)) && hashMatches(hash, stored);
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
      const isChange = type === 'phone_change';
      // A concurrent request may have used the code. Test codes and codes that the provider checks don't reveal this.
      if ((isChange ? user.phone_change : user.phone) !== typed.phone) return undefined;
      const fixed = phone.testCodes.get(typed.phone);
      if (fixed !== undefined && sameSecret(fixed, typed.code)) return type;
      const sentAt = isChange ? user.phone_change_sent_at : user.confirmation_sent_at;
      if (checksCodes(ctx) && !ctx.settings.hooks.send_sms.enabled) {
        if (!(await consumeToken(`${typed.phone} ${sentAt}`))) return undefined;
        await checkByProvider(ctx, typed.phone, typed.code);
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
  { type, typed, hash, aud }: Pick<CodeCheck, 'type' | 'hash' | 'typed'> & { readonly aud: string },
): Promise<User | undefined> {
  try {
    if (type === 'phone_change') return await findUserByPhoneChange(tx, typed.phone, aud);
    if (type === 'sms') return await findUserByPhone(tx, typed.phone, aud);
    if (type === 'email_change') return await findByEmailChange(ctx, tx, { email: typed.email, hash });
    return await findUserByEmail(tx, typed.email, aud);
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError('Database error finding user', cause);
  }
}

/**
 * Finds the user of an email change by the code. The address may be the old or the new one, and several users can be
 * about to change to the same address.
 */
async function findByEmailChange(
  ctx: AuthContext,
  db: Queryable,
  { email, hash }: { readonly email: string; readonly hash: string },
): Promise<User | undefined> {
  const userId = await findOwnerOfEmailChange(db, {
    email,
    hashes: [hash, withFlowPrefix(hash, true)],
    isDouble: ctx.settings.email.doubleConfirmChanges,
  });
  return userId === undefined ? undefined : findUserById(db, userId);
}

function rejectBanned(ctx: AuthContext, user: User): void {
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
}
