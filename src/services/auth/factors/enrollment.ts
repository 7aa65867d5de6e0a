/** Enrolls second factors. */
import { totpSecret, totpUri } from '../../../base/shared/one-time-codes.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import { parsePhone } from '../common/contact.ts';
import type { ReadFields } from '../common/fields.ts';
import type { FactorType } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { deleteFactor, deleteStaleFactors, insertFactor, listFactors } from './queries.ts';

/** The age after which unfinished enrollments are deleted when the user starts another enrollment. */
const enrollmentLifetimeMs = 300_000;

/** A factor that the user has started to enroll. */
export interface Enrollment {
  readonly id: string;
  readonly type: FactorType;
  readonly friendlyName: string;
  /** An authenticator app's secret. `qrCode` is an SVG image. */
  readonly totp?: { readonly qrCode: string; readonly secret: string; readonly uri: string };
  /** The phone number, as the client sent it. */
  readonly phone?: string;
}

export async function enroll(
  ctx: AuthContext,
  caller: UserCaller,
  readBody: ReadFields,
): Promise<Enrollment> {
  if (!caller.session) {
    throw internalError('A valid session and a registered user are required to enroll a factor');
  }
  const body = readBody();
  const { mfa } = ctx.settings;
  const friendlyName = body.text('friendly_name');
  switch (body.text('factor_type')) {
    case 'totp':
      if (!mfa.totp.enroll_enabled) throw authError('mfa_totp_enroll_not_enabled');
      return enrollTotp(ctx, caller, friendlyName, body.text('issuer'));
    case 'phone':
      if (!mfa.phone.enroll_enabled) throw authError('mfa_phone_enroll_not_enabled');
      return enrollPhone(ctx, caller, friendlyName, body.text('phone'));
    case 'webauthn':
      if (!mfa.web_authn.enroll_enabled) throw authError('mfa_webauthn_enroll_not_enabled');
      return enrollKey(ctx, caller, friendlyName);
    default:
      throw authError('validation_failed', 'factor_type needs to be totp, phone, or webauthn');
  }
}

async function enrollTotp(
  ctx: AuthContext,
  caller: UserCaller,
  friendlyName: string,
  wantedIssuer: string,
): Promise<Enrollment> {
  const { user } = caller;
  // Enrollment fails for users without an email address, because the library that upstream uses requires an account
  // name.
  if (!user.email) throw internalError('Error generating QR Code');
  const issuer = wantedIssuer === '' ? new URL(ctx.settings.siteUrl).host : wantedIssuer;
  const secret = totpSecret();
  const uri = totpUri(issuer, user.email, secret);
  const svg = await qrSvg(uri);
  const id = await asUser(ctx, caller, async (tx) => {
    await checkEnrollment(ctx, tx, caller, friendlyName);
    const factorId = await insertFactor(
      tx,
      { userId: user.id, type: 'totp', friendlyName, secret },
      ctx.clock.now(),
    );
    await audit(ctx, tx, user, {
      action: 'factor_in_progress',
      ip: caller.ip,
      traits: { factor_id: factorId },
    });
    return factorId;
  });
  return { id, type: 'totp', friendlyName, totp: { qrCode: svg, secret, uri } };
}

async function enrollPhone(
  ctx: AuthContext,
  caller: UserCaller,
  friendlyName: string,
  wantedPhone: string,
): Promise<Enrollment> {
  if (wantedPhone === '')
    throw authError('validation_failed', 'Phone number required to enroll Phone factor');
  const phone = parsePhone(wantedPhone);
  const { user } = caller;
  const id = await asUser(ctx, caller, async (tx) => {
    const factors = await listFactors(tx, user.id);
    const same = factors.filter((factor) => factor.factor_type === 'phone' && factor.phone === phone);
    if (same.some((factor) => factor.status === 'verified')) throw authError('mfa_verified_factor_exists');
    for (const factor of same) await deleteFactor(tx, factor.id);
    await checkEnrollment(ctx, tx, caller, friendlyName);
    const factorId = await insertFactor(
      tx,
      { userId: user.id, type: 'phone', friendlyName, phone },
      ctx.clock.now(),
    );
    const traits = { factor_id: factorId, factor_type: 'phone' };
    await audit(ctx, tx, user, { action: 'factor_in_progress', ip: caller.ip, traits });
    return factorId;
  });
  return { id, type: 'phone', friendlyName, phone: wantedPhone };
}

async function enrollKey(ctx: AuthContext, caller: UserCaller, friendlyName: string): Promise<Enrollment> {
  const { user } = caller;
  const id = await asUser(ctx, caller, async (tx) => {
    await checkEnrollment(ctx, tx, caller, friendlyName);
    const factor = { userId: user.id, type: 'webauthn', friendlyName } as const;
    const factorId = await insertFactor(tx, factor, ctx.clock.now());
    const traits = { factor_id: factorId, factor_type: 'webauthn' };
    await audit(ctx, tx, user, { action: 'factor_in_progress', ip: caller.ip, traits });
    return factorId;
  });
  return { id, type: 'webauthn', friendlyName };
}

/**
 * Checks whether the user may enroll another factor. `tx` has locked the user's row, so that concurrent enrollments
 * can't exceed the limit.
 * @throws {AuthError} mfa_factor_name_conflict, too_many_enrolled_mfa_factors, insufficient_aal
 */
async function checkEnrollment(
  ctx: AuthContext,
  tx: Transaction,
  caller: UserCaller,
  friendlyName: string,
): Promise<void> {
  const { user, session } = caller;
  await deleteStaleFactors(tx, user.id, ctx.clock.now() - enrollmentLifetimeMs);
  const factors = await listFactors(tx, user.id);
  // As in upstream, a user can't have two factors without a name.
  if (factors.some((factor) => (factor.friendly_name ?? '') === friendlyName)) {
    throw authError(
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${friendlyName}" for this user already exists`,
    );
  }
  if (factors.length >= ctx.settings.mfa.max_enrolled_factors)
    throw authError('too_many_enrolled_mfa_factors');
  const hasVerified = factors.some((factor) => factor.status === 'verified');
  if (hasVerified && session?.aal !== 'aal2') throw authError('insufficient_aal');
}

/**
 * Returns a QR code as SVG without the characters `#` and `%`, because auth-js inserts the SVG into a `data:` URL
 * without escaping it.
 */
async function qrSvg(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  const svg = await qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'H' });
  // The QR code library supports only hexadecimal colors, so the function replaces them with color names.
  return svg.trim().replaceAll('"#ffffff"', '"white"').replaceAll('"#000000"', '"black"');
}
