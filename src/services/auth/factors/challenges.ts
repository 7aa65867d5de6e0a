/** Creates challenges for second factors and verifies responses. */

import { totpStep } from '../../../base/shared/one-time-codes.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import { type Channel, parseChannel, sendText, type TextToSend } from '../codes/phone-codes.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import type { Fields, ReadFields } from '../common/fields.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { Factor, MfaChallenge, User } from '../common/rows.ts';
import { oneTimePassword, sameSecret } from '../common/secrets.ts';
import { toMs } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { requirePause } from '../limits/rate-limits.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { checkByProvider, checksCodes } from '../messages/send-text.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { findFactor, insertChallenge } from './queries.ts';
import {
  challengeLifetimeMs,
  type FactorChallenge,
  raiseSession,
  requireChallenge,
  requireVerificationAal,
  runVerificationHook,
} from './verification.ts';
import { challengeKey, verifyKey } from './webauthn.ts';

export async function challengeFactor(
  ctx: AuthContext,
  caller: UserCaller,
  factor: Factor,
  body: { readonly isEmpty: boolean; readonly read: ReadFields },
): Promise<FactorChallenge> {
  requireVerifyEnabled(ctx, factor);
  if (factor.factor_type === 'webauthn') {
    // Parses the body even though none of its fields is used, because upstream rejects bodies that aren't JSON.
    body.read().object('webauthn');
    return challengeKey(ctx, caller, factor);
  }
  const now = ctx.clock.now();
  const channel =
    factor.factor_type === 'phone'
      ? parseChannel(ctx, body.isEmpty ? '' : body.read().text('channel'))
      : undefined;
  const create = async (tx: Transaction) => {
    const text =
      channel && (await draftFactorText(ctx, tx, { user: caller.user, factorId: factor.id, channel }));
    const challengeId = await insertChallenge(tx, factor, { ip: caller.ip, otpCode: text?.otp ?? '' }, now);
    const traits = { factor_id: factor.id, factor_status: factor.status };
    await audit(ctx, tx, caller.user, { action: 'challenge_created', ip: caller.ip, traits });
    // The text is sent last, because a conflict of the statements above repeats the transaction.
    if (text) await sendFactorText(ctx, tx, caller, text);
    return challengeId;
  };
  const id = await retryOnConflict(() => asUser(ctx, caller, create));
  return {
    id,
    type: factor.factor_type,
    expiresAtSeconds: Math.floor((now + challengeLifetimeMs) / 1000),
  };
}

/**
 * Drafts the text with the code for a phone factor. `tx` has locked the user's row, so concurrent requests can't read
 * the time of the last text before this request has stored a new time.
 * @throws {AuthError} over_sms_send_rate_limit during the pause between two texts
 */
async function draftFactorText(
  ctx: AuthContext,
  tx: Transaction,
  { user, factorId, channel }: { readonly user: User; readonly factorId: string; readonly channel: Channel },
): Promise<TextToSend> {
  const { phone } = ctx.settings.mfa;
  const factor = await findFactor(tx, factorId, user.id);
  if (factor === undefined) throw authError('mfa_factor_not_found');
  const now = ctx.clock.now();
  const lastMs = factor.last_challenged_at === null ? undefined : toMs(factor.last_challenged_at);
  requirePause(lastMs, phone.max_frequency, now, 'over_sms_send_rate_limit');
  const text = {
    user,
    phone: factor.phone ?? '',
    otp: oneTimePassword(phone.otp_length),
    channel,
    template: phone.template,
    kind: 'mfa' as const,
  };
  if (phone.max_frequency > 0) {
    const leftMs = await ctx.limits.remainingMs(pauseKey(text), phone.max_frequency, now);
    const sentMs = leftMs > 0 ? now + leftMs - phone.max_frequency : undefined;
    requirePause(sentMs, phone.max_frequency, now, 'over_sms_send_rate_limit');
  }
  return text;
}

/** Sends the text and starts the pause of its number. */
async function sendFactorText(
  ctx: AuthContext,
  tx: Transaction,
  caller: UserCaller,
  text: TextToSend,
): Promise<void> {
  const pauseMs = ctx.settings.mfa.phone.max_frequency;
  await ctx.limits.factorSms(ctx.clock.now());
  await sendText(ctx, caller, text, tx);
  if (pauseMs > 0) await ctx.limits.once(pauseKey(text), pauseMs, ctx.clock.now());
}

/**
 * The pause also belongs to the user and the number, because users can delete the factor and enroll the number again
 * (decision 86).
 */
const pauseKey = ({ user, phone }: TextToSend): string => `factor_text:${user.id}:${phone}`;

/** Verifies the response to a challenge and raises the session to aal2. */
export async function verifyFactor(
  ctx: AuthContext,
  caller: UserCaller,
  factor: Factor,
  body: Fields,
): Promise<IssuedSession> {
  const code = body.text('code');
  const challengeId = body.text('challenge_id');
  if (code === '' && factor.factor_type !== 'webauthn') {
    throw authError('validation_failed', 'Code needs to be non-empty');
  }
  if (factor.factor_type === 'webauthn' && !ctx.settings.mfa.web_authn.verify_enabled) {
    // Upstream uses this error code for verification as well, although the name of the code refers to enrollment.
    throw authError('mfa_webauthn_enroll_not_enabled', 'MFA verification is disabled for WebAuthn');
  }
  requireVerifyEnabled(ctx, factor);
  if (!caller.session) throw internalError('Cannot read SessionId claim as UUID');
  requireVerificationAal(caller, factor);
  if (!isUuid(challengeId))
    throw authError('bad_json', "Could not parse request body as JSON: challenge_id isn't a UUID");
  if (factor.factor_type === 'webauthn') {
    return verifyKey(ctx, caller, factor, { challengeId, body });
  }
  const challenge = await requireChallenge(ctx, caller, factor, challengeId);
  const isTotp = factor.factor_type === 'totp';
  const secret = { kind: 'second_factor', account: factor.user_id, ownerId: factor.user_id } as const;
  const isRight = await verifySecret(ctx, caller, secret, async (consumeToken) => {
    if (!(await consumeToken(challenge.id))) return undefined;
    const matches = isTotp ? isTotpCode(ctx, factor, code) : isPhoneCode(ctx, factor, challenge, code);
    return (await matches) || undefined;
  });
  const valid = isRight === true;
  const attempt = { userId: factor.user_id, factorId: factor.id, factorType: factor.factor_type };
  await runVerificationHook(ctx, caller, attempt, valid);
  if (!valid) {
    throw authError('mfa_verification_failed', isTotp ? undefined : 'Invalid MFA Phone code entered');
  }
  return raiseSession(ctx, caller, { factor, challenge });
}

async function isTotpCode(ctx: AuthContext, factor: Factor, code: string): Promise<boolean> {
  const step = totpStep(factor.secret ?? '', code, ctx.clock.now());
  return step !== undefined && ctx.totpSteps.take(factor.id, step);
}

/** Whether the code is correct. If the SMS provider checks codes and rejects the code, throws `otp_expired`. */
async function isPhoneCode(
  ctx: AuthContext,
  factor: Factor,
  challenge: MfaChallenge,
  code: string,
): Promise<boolean> {
  if (checksCodes(ctx)) {
    await checkByProvider(ctx, factor.phone ?? '', code);
    return true;
  }
  const sent = challenge.otp_code ?? '';
  return sent !== '' && sameSecret(sent, code);
}

function requireVerifyEnabled(ctx: AuthContext, factor: Factor): void {
  const { mfa } = ctx.settings;
  if (factor.factor_type === 'totp' && !mfa.totp.verify_enabled)
    throw authError('mfa_totp_verify_not_enabled');
  if (factor.factor_type === 'phone' && !mfa.phone.verify_enabled)
    throw authError('mfa_phone_verify_not_enabled');
  if (factor.factor_type === 'webauthn' && !mfa.web_authn.verify_enabled)
    throw authError('mfa_webauthn_verify_not_enabled');
}
