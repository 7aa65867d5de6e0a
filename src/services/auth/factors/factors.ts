/** Enrolls and removes second factors. */

import { totpSecret, totpUri } from '../../../base/shared/one-time-codes.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import { amrMethodOfFactor } from '../common/claims.ts';
import { parsePhone } from '../common/contact.ts';
import type { ReadFields } from '../common/fields.ts';
import type { Factor } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { downgradeSessions } from '../sessions/queries.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { checkEnrollment } from './mfa.ts';
import { qrSvg } from './qr-svg.ts';
import { deleteFactor, findFactor, insertFactor, listFactors } from './queries.ts';
import { forgetIdleRecoveryCodes } from './recovery-codes.ts';
import type { Enrollment } from './render.ts';
import { enrolKey } from './webauthn.ts';

/**
 * Finds one of the user's factors.
 * @throws {AuthError} validation_failed with status 404 for an invalid ID, mfa_factor_not_found
 */
export async function requireFactor(ctx: AuthContext, id: string, userId: string): Promise<Factor> {
  if (!isUuid(id)) throw authError('validation_failed', 'factor_id must be an UUID', { status: 404 });
  const factor = await findFactor(ctx.pool, id, userId);
  if (!factor) throw authError('mfa_factor_not_found');
  return factor;
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
      return enrolTotp(ctx, caller, friendlyName, body.text('issuer'));
    case 'phone':
      if (!mfa.phone.enroll_enabled) throw authError('mfa_phone_enroll_not_enabled');
      return enrolPhone(ctx, caller, friendlyName, body.text('phone'));
    case 'webauthn':
      if (!mfa.web_authn.enroll_enabled) throw authError('mfa_webauthn_enroll_not_enabled');
      return enrolKey(ctx, caller, friendlyName);
    default:
      throw authError('validation_failed', 'factor_type needs to be totp, phone, or webauthn');
  }
}

async function enrolTotp(
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
    await audit(ctx, tx, user, 'factor_in_progress', { ip: caller.ip, traits: { factor_id: factorId } });
    return factorId;
  });
  return { id, type: 'totp', friendlyName, totp: { qrCode: svg, secret, uri } };
}

async function enrolPhone(
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
    await audit(ctx, tx, user, 'factor_in_progress', { ip: caller.ip, traits });
    return factorId;
  });
  return { id, type: 'phone', friendlyName, phone: wantedPhone };
}

/** Removes one of the user's factors. @throws {AuthError} insufficient_aal */
export async function unenroll(ctx: AuthContext, caller: UserCaller, factor: Factor): Promise<void> {
  const { user, session } = caller;
  if (!session) throw internalError('A valid session and factor are required to unenroll a factor');
  if (factor.status === 'verified' && session.aal !== 'aal2') {
    throw authError('insufficient_aal', 'AAL2 required to unenroll verified factor', { status: 422 });
  }
  const event = await asUser(ctx, caller, async (tx) => {
    await deleteFactor(tx, factor.id);
    const traits = { factor_id: factor.id, factor_status: factor.status, session_id: session.id };
    await audit(ctx, tx, user, 'factor_unenrolled', { ip: caller.ip, traits });
    await downgradeSessions(tx, user.id, factor.id, amrMethodOfFactor[factor.factor_type]);
    await forgetIdleRecoveryCodes(ctx, tx, user.id);
    if (factor.status !== 'verified') return undefined;
    const details = {
      factor_type: factor.factor_type,
      ...(factor.friendly_name ? { name: factor.friendly_name } : {}),
    };
    return recordEvent(ctx, tx, caller, user.id, 'factor_removed', details);
  });
  await notify(ctx, undefined, caller, user, 'mfa_factor_unenrolled', {
    factorType: factor.factor_type,
    event,
  });
}
