/** /factors: enrol, challenge, verify, unenrol. */

import { totpSecret, totpStep, totpUri } from '../../kernel/totp.ts';
import type { AuthContext } from '../context.ts';
import { amrMethodOfFactor } from '../core/claims.ts';
import { parsePhone } from '../core/contact.ts';
import { qrSvg } from '../core/qr-svg.ts';
import { oneTimePassword, sameSecret } from '../core/secrets.ts';
import { toMs } from '../core/times.ts';
import { authError, internalError } from '../errors.ts';
import { audit } from '../flows/audit.ts';
import { verifyTyped } from '../flows/guess.ts';
import { notify } from '../flows/mail-tokens.ts';
import {
  askVerificationHook,
  challengeLifetimeMs,
  checkEnrolment,
  raiseSession,
  requireChallenge,
  requireVerificationAal,
} from '../flows/mfa.ts';
import { parseChannel, sendText } from '../flows/phone-codes.ts';
import { forgetIdleRecoveryCodes } from '../flows/recovery-codes.ts';
import { despiteRivals } from '../flows/rivals.ts';
import { renderSession } from '../flows/sessions.ts';
import { checkByProvider, checksCodes } from '../flows/text-messages.ts';
import { challengeKey, enrolKey, verifyKey } from '../flows/webauthn-factors.ts';
import { isUuid, type Principal, refuseAnonymous, requireUser } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import { deleteFactor, findFactor, insertChallenge, insertFactor } from '../queries/factors.ts';
import { downgradeSessions } from '../queries/sessions.ts';
import { requirePause } from '../rate-limits.ts';
import type { Factor, MfaChallenge } from '../rows.ts';
import type { Define, Handler } from './route.ts';

export function factorRoutes(define: Define, ctx: AuthContext): void {
  const enter = async (exchange: Exchange): Promise<Principal> => {
    const principal = await requireUser(ctx, exchange);
    refuseAnonymous(principal.claims);
    return principal;
  };
  const enterWithFactor = async (exchange: Exchange): Promise<[Principal, Factor]> => {
    const principal = await enter(exchange);
    return [principal, await requireFactor(ctx, exchange.params.factorId ?? '', principal.user.id)];
  };

  define('POST', '/factors', async (exchange) => {
    const principal = await enter(exchange);
    return despiteRivals(() => enrol(ctx, exchange, principal));
  });

  const challengeFactor: Handler = async (exchange) => {
    const [principal, factor] = await enterWithFactor(exchange);
    return challenge(ctx, exchange, principal, factor);
  };
  define('POST', '/factors/:factorId/challenge', challengeFactor, { limit: 'factor_challenge' });

  const verifyFactor: Handler = async (exchange) => {
    const [principal, factor] = await enterWithFactor(exchange);
    return verify(ctx, exchange, principal, factor);
  };
  define('POST', '/factors/:factorId/verify', verifyFactor, { limit: 'factor_verify' });

  define('DELETE', '/factors/:factorId', async (exchange) => {
    const [principal, factor] = await enterWithFactor(exchange);
    return unenrol(ctx, exchange, principal, factor);
  });
}

/** Throws 404. */
export async function requireFactor(ctx: AuthContext, id: string, userId: string): Promise<Factor> {
  if (!isUuid(id)) throw authError('validation_failed', 'factor_id must be an UUID', { status: 404 });
  const factor = await findFactor(ctx.pool, id, userId);
  if (!factor) throw authError('mfa_factor_not_found');
  return factor;
}

async function enrol(ctx: AuthContext, exchange: Exchange, principal: Principal): Promise<object> {
  if (!principal.session) {
    throw internalError('A valid session and a registered user are required to enroll a factor');
  }
  const body = exchange.body();
  const { mfa } = ctx.settings;
  const friendlyName = body.text('friendly_name');
  switch (body.text('factor_type')) {
    case 'totp':
      if (!mfa.totp.enroll_enabled) throw authError('mfa_totp_enroll_not_enabled');
      return enrolTotp(ctx, exchange, principal, friendlyName, body.text('issuer'));
    case 'phone':
      if (!mfa.phone.enroll_enabled) throw authError('mfa_phone_enroll_not_enabled');
      return enrolPhone(ctx, exchange, principal, friendlyName, body.text('phone'));
    case 'webauthn':
      if (!mfa.web_authn.enroll_enabled) throw authError('mfa_webauthn_enroll_not_enabled');
      return enrolKey(ctx, exchange, principal, friendlyName);
    default:
      throw authError('validation_failed', 'factor_type needs to be totp, phone, or webauthn');
  }
}

async function enrolTotp(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
  friendlyName: string,
  wantedIssuer: string,
): Promise<object> {
  await checkEnrolment(ctx, principal, friendlyName);
  const { user } = principal;
  // The library upstream uses refuses an account without a name.
  if (!user.email) throw internalError('Error generating QR Code');
  const issuer = wantedIssuer === '' ? new URL(ctx.settings.siteUrl).host : wantedIssuer;
  const secret = totpSecret();
  const uri = totpUri(issuer, user.email, secret);
  const svg = await qrSvg(uri);
  const id = await ctx.pool.transaction(async (tx) => {
    const factorId = await insertFactor(
      tx,
      { userId: user.id, type: 'totp', friendlyName, secret },
      ctx.clock.now(),
    );
    await audit(ctx, tx, user, 'factor_in_progress', { ip: exchange.ip, traits: { factor_id: factorId } });
    return factorId;
  });
  return { id, type: 'totp', friendly_name: friendlyName, totp: { qr_code: svg, secret, uri } };
}

async function enrolPhone(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
  friendlyName: string,
  wantedPhone: string,
): Promise<object> {
  if (wantedPhone === '')
    throw authError('validation_failed', 'Phone number required to enroll Phone factor');
  const phone = parsePhone(wantedPhone);
  const { user } = principal;
  const same = user.factors.filter((factor) => factor.factor_type === 'phone' && factor.phone === phone);
  if (same.some((factor) => factor.status === 'verified')) throw authError('mfa_verified_factor_exists');
  for (const factor of same) await deleteFactor(ctx.pool, factor.id);
  await checkEnrolment(ctx, principal, friendlyName);
  const id = await ctx.pool.transaction(async (tx) => {
    const factorId = await insertFactor(
      tx,
      { userId: user.id, type: 'phone', friendlyName, phone },
      ctx.clock.now(),
    );
    const traits = { factor_id: factorId, factor_type: 'phone' };
    await audit(ctx, tx, user, 'factor_in_progress', { ip: exchange.ip, traits });
    return factorId;
  });
  return { id, type: 'phone', friendly_name: friendlyName, phone: wantedPhone };
}

async function challenge(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
  factor: Factor,
): Promise<object> {
  requireVerifyEnabled(ctx, factor);
  if (factor.factor_type === 'webauthn') {
    // Read, though nothing in it matters: where there is no JSON upstream refuses.
    exchange.body().object('webauthn');
    return challengeKey(ctx, exchange, principal, factor);
  }
  const now = ctx.clock.now();
  let otpCode = '';
  if (factor.factor_type === 'phone') {
    const channel = parseChannel(ctx, exchange.hasBody ? exchange.body().text('channel') : '');
    const { phone } = ctx.settings.mfa;
    const lastMs = factor.last_challenged_at === null ? undefined : toMs(factor.last_challenged_at);
    requirePause(lastMs, phone.max_frequency, now, 'over_sms_send_rate_limit');
    otpCode = oneTimePassword(phone.otp_length);
    await sendText(ctx, exchange, {
      user: principal.user,
      phone: factor.phone ?? '',
      otp: otpCode,
      channel,
      template: phone.template,
      kind: 'mfa',
    });
  }
  const id = await ctx.pool.transaction(async (tx) => {
    const challengeId = await insertChallenge(tx, factor, { ip: exchange.ip, otpCode }, now);
    const traits = { factor_id: factor.id, factor_status: factor.status };
    await audit(ctx, tx, principal.user, 'challenge_created', { ip: exchange.ip, traits });
    return challengeId;
  });
  return { id, type: factor.factor_type, expires_at: Math.floor((now + challengeLifetimeMs) / 1000) };
}

async function verify(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
  factor: Factor,
): Promise<object> {
  const body = exchange.body();
  const code = body.text('code');
  const challengeId = body.text('challenge_id');
  if (code === '' && factor.factor_type !== 'webauthn') {
    throw authError('validation_failed', 'Code needs to be non-empty');
  }
  if (factor.factor_type === 'webauthn' && !ctx.settings.mfa.web_authn.verify_enabled) {
    // The code is upstream's.
    throw authError('mfa_webauthn_enroll_not_enabled', 'MFA verification is disabled for WebAuthn');
  }
  requireVerifyEnabled(ctx, factor);
  if (!principal.session) throw internalError('Cannot read SessionId claim as UUID');
  requireVerificationAal(principal, factor);
  if (!isUuid(challengeId))
    throw authError('bad_json', 'Could not parse request body as JSON: challenge_id is no UUID');
  if (factor.factor_type === 'webauthn') {
    return renderSession(await verifyKey(ctx, exchange, principal, factor, challengeId));
  }
  const asked = await requireChallenge(ctx, exchange, factor, challengeId);
  const isTotp = factor.factor_type === 'totp';
  const guess = { account: factor.user_id, ownerId: factor.user_id };
  const isRight = await verifyTyped(ctx, exchange, 'second_factor', guess, async (spendToken) => {
    if (!(await spendToken(asked.id))) return undefined;
    const matches = isTotp ? isTotpCode(ctx, factor, code) : isPhoneCode(ctx, factor, asked, code);
    return (await matches) || undefined;
  });
  const valid = isRight === true;
  const attempt = { userId: factor.user_id, factorId: factor.id, factorType: factor.factor_type };
  await askVerificationHook(ctx, exchange, attempt, valid);
  if (!valid) {
    throw authError('mfa_verification_failed', isTotp ? undefined : 'Invalid MFA Phone code entered');
  }
  return renderSession(await raiseSession(ctx, exchange, principal, factor, asked));
}

async function isTotpCode(ctx: AuthContext, factor: Factor, code: string): Promise<boolean> {
  const step = totpStep(factor.secret ?? '', code, ctx.clock.now());
  return step !== undefined && ctx.totpSteps.take(factor.id, step);
}

/** Throws `otp_expired` where the provider checks codes and refuses this one. */
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

async function unenrol(
  ctx: AuthContext,
  exchange: Exchange,
  principal: Principal,
  factor: Factor,
): Promise<object> {
  const { user, session } = principal;
  if (!session) throw internalError('A valid session and factor are required to unenroll a factor');
  if (factor.status === 'verified' && session.aal !== 'aal2') {
    throw authError('insufficient_aal', 'AAL2 required to unenroll verified factor', { status: 422 });
  }
  await ctx.pool.transaction(async (tx) => {
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id };
    await audit(ctx, tx, user, 'factor_unenrolled', { ip: exchange.ip, traits });
    await downgradeSessions(tx, user.id, factor.id, amrMethodOfFactor[factor.factor_type]);
    await forgetIdleRecoveryCodes(ctx, tx, user.id);
  });
  await notify(ctx, undefined, exchange, user, 'mfa_factor_unenrolled', { factorType: factor.factor_type });
  return { id: factor.id };
}
