/** Implements the changes that users make to their own accounts. */

import type { Transaction } from '../../../platform/database/types.ts';
import type { Channel } from '../codes/phone-codes.ts';
import { parseChannel, sendPhoneCode } from '../codes/phone-codes.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import { type Contact, isConfirmed, parseEmail, parsePhone } from '../common/contact.ts';
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { parseChallenge } from '../common/pkce.ts';
import { hasVerifiedFactor } from '../common/render-user.ts';
import { toMs } from '../common/times.ts';
import { findUserByPhone, findUserWithEmail } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { requireStrongPassword } from '../passwords/strength.ts';
import { type Notice, prepareNotice } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import { listBrowserSessions } from '../sessions/browser-queries.ts';
import { asUserEnding } from '../sessions/user-transaction.ts';
import { insertFlowState } from '../sign-in/flow-states.ts';
import { setAppMetadata, setUserMetadata, storePassword } from '../sign-up/accounts.ts';
import { requireNoSso } from '../sso/enforced.ts';
import { changeEmail, changePhone } from './contact-changes.ts';
import { sendEmailChange } from './email-change-mail.ts';
import { consumeNonce, type EnteredNonce, requireNonce } from './reauthentication.ts';

const dayMs = 24 * 3_600_000;

interface Update {
  readonly email: string;
  readonly phone: string;
  readonly channel: Channel;
  readonly password: string | undefined;
  readonly currentPassword: string;
  readonly nonce: string;
  readonly data: JsonObject | undefined;
  readonly appData: JsonObject | undefined;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
}

async function parseUpdate(ctx: AuthContext, body: Fields): Promise<Update> {
  const email = body.text('email');
  const phone = body.text('phone');
  const password = body.optionalText('password');
  const update = {
    email: email === '' ? '' : parseEmail(email),
    phone: phone === '' ? '' : parsePhone(phone),
    channel: phone === '' ? ('sms' as const) : parseChannel(ctx, body.text('channel')),
    password,
    currentPassword: body.text('current_password'),
    nonce: body.text('nonce'),
    data: body.object('data'),
    appData: body.object('app_metadata'),
    codeChallenge: body.text('code_challenge'),
    codeChallengeMethod: body.text('code_challenge_method'),
  };
  if (password !== undefined) await requireStrongPassword(ctx, password);
  return update;
}

/** Changes the caller's contacts, password and metadata. Updates `caller.user` with the new values. */
export async function updateOwnUser(ctx: AuthContext, caller: UserCaller, body: Fields): Promise<void> {
  const { user, claims } = caller;
  const update = await parseUpdate(ctx, body);
  if (update.appData !== undefined && !ctx.settings.adminRoles.includes(user.role ?? '')) {
    throw authError('not_admin', 'Updating app_metadata requires admin privileges');
  }
  // Whether the request changes a contact. If a user submits an unconfirmed contact again, its confirmation restarts.
  const changes = (given: string, current: string | null, contact: Contact) =>
    given !== '' && (given !== current || !isConfirmed(user, contact));
  const changesEmail = changes(update.email, user.email, 'email');
  const changesPhone = changes(update.phone, user.phone, 'phone');
  rejectByKindOfUser(update, caller, changesEmail || changesPhone);
  if (changesEmail) await requireNoSso(ctx, ctx.pool, update.email);
  const aud = audienceOf(ctx, caller, claims);
  if (changesEmail && (await findUserWithEmail(ctx.pool, update.email, aud, user.id)))
    throw authError('email_exists');
  if (changesPhone && update.phone !== user.phone && (await findUserByPhone(ctx.pool, update.phone, aud)))
    throw authError('phone_exists');
  const challenge = changesEmail
    ? parseChallenge(update.codeChallenge, update.codeChallengeMethod)
    : undefined;
  const change =
    update.password === undefined
      ? undefined
      : await checkPasswordChange(ctx, caller, update, update.password);

  await asUserEnding(ctx, caller, async (tx) => {
    // If a guest adds an address, the change is handled like a sign-up.
    const addsFirstEmail = changesEmail && user.is_anonymous && ctx.settings.email.autoconfirm;
    const notices: Notice[] = [];
    if (change !== undefined) {
      if (change.nonce !== undefined) await consumeNonce(tx, user, change.nonce);
      const isFirst = !user.encrypted_password;
      await storePassword(ctx, tx, user, {
        hash: change.hash,
        exceptSessionIds: await sessionsToKeep(ctx, tx, caller),
      });
      await audit(ctx, tx, user, { action: 'user_updated_password' });
      const event = await recordEvent(ctx, tx, caller, {
        userId: user.id,
        kind: 'password_changed',
        details: isFirst ? { first: true } : {},
      });
      const notice = await prepareNotice(ctx, caller, { user, kind: 'password_changed', event, isFirst, tx });
      if (notice !== undefined) notices.push(notice);
    }
    if (update.data !== undefined) await setUserMetadata(ctx, tx, user, update.data);
    if (update.appData !== undefined) await setAppMetadata(ctx, tx, user, update.appData);
    // A conflict with another user's contact repeats or rolls back the transaction, so all messages are sent afterwards.
    if (addsFirstEmail) {
      user.email_change = update.email;
      await changeEmail(ctx, tx, caller, user);
    }
    if (changesPhone && ctx.settings.phone.autoconfirm) {
      user.phone_change = update.phone;
      notices.push(...(await changePhone(ctx, tx, caller, user)));
    }
    if (changesEmail && !addsFirstEmail) {
      if (challenge) {
        const flow = {
          userId: user.id,
          providerType: 'email_change',
          authenticationMethod: 'email_change',
          challenge,
        };
        await insertFlowState(tx, flow, ctx.clock.now());
      }
      await sendEmailChange(ctx, tx, caller, {
        user,
        newEmail: update.email,
        isPkce: challenge !== undefined,
      });
    }
    if (changesPhone && !ctx.settings.phone.autoconfirm) {
      const { phone, channel } = update;
      await sendPhoneCode(ctx, tx, caller, { user, phone, kind: 'phone_change', channel });
    }
    for (const notice of notices) await notice.send();
    await audit(ctx, tx, user, { action: 'user_modified' });
  });
}

function rejectByKindOfUser(update: Update, { user, session }: UserCaller, changesContact: boolean): void {
  const changesPassword = update.password !== undefined && update.password !== '';
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2' && (changesPassword || changesContact)) {
    throw authError(
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
      { status: 401 },
    );
  }
  if (user.is_anonymous && changesPassword && update.email === '' && update.phone === '') {
    throw authError(
      'validation_failed',
      'Updating password of an anonymous user without an email or phone is not allowed',
      { status: 422 },
    );
  }
  if (user.is_sso_user && (changesPassword || changesContact || update.nonce !== ''))
    throw authError('user_sso_managed');
}

/**
 * Returns the sessions that a password change doesn't end. On the Account pages, these are the caller's session and the
 * sessions of apps in the same browser, as for "Sign out everywhere else". If an app changes the password, only the
 * caller's session continues, as in GoTrue.
 */
async function sessionsToKeep(
  ctx: AuthContext,
  tx: Transaction,
  { session, pageLanguage }: UserCaller,
): Promise<readonly string[]> {
  if (session === undefined) return [];
  const isOnPages = ctx.hasOwnTables && pageLanguage !== undefined;
  return isOnPages ? listBrowserSessions(tx, session) : [session.id];
}

interface PasswordChange {
  /** The new password's hash, or null if the request removes the password. */
  readonly hash: string | null;
  /** The nonce that the change uses up, if the project requires one. */
  readonly nonce: EnteredNonce | undefined;
}

async function checkPasswordChange(
  ctx: AuthContext,
  caller: UserCaller,
  update: Update,
  password: string,
): Promise<PasswordChange> {
  const { user, session } = caller;
  const { needsReauthentication, needsCurrent } = ctx.settings.passwordChange;
  const isRecent = session !== undefined && ctx.clock.now() <= toMs(session.created_at) + dayMs;
  const needsNonce = needsReauthentication && !isRecent;
  if (needsNonce && update.nonce === '') throw authError('reauthentication_needed');
  const nonce = needsNonce ? await requireNonce(ctx, caller, user, update.nonce) : undefined;
  if (password === '') return { hash: null, nonce };
  const current = user.encrypted_password ?? '';
  if (current !== '') {
    // A user who signed in with a code or recovery link can change the password without entering the current password.
    const cameByCode = session?.amr_claims.some(({ authentication_method: method }) =>
      ['otp', 'magiclink', 'recovery'].includes(method),
    );
    if (needsCurrent && !cameByCode) {
      if (update.currentPassword === '') throw authError('current_password_required');
      const guess = { account: user.id, ownerId: user.id };
      const isCurrent = await verifySecret(
        ctx,
        caller,
        { kind: 'password', ...guess },
        async () => (await ctx.passwords.verify(update.currentPassword, current)) || undefined,
      );
      if (!isCurrent) throw authError('current_password_invalid');
    }
    if (await ctx.passwords.verify(password, current)) throw authError('same_password');
  }
  return { hash: await ctx.passwords.hash(password), nonce };
}
