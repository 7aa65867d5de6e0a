/** GET and PUT /user, GET /reauthenticate. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail, parsePhone } from '../core/contact.ts';
import type { JsonObject } from '../core/json.ts';
import { parseChallenge } from '../core/pkce.ts';
import { hasVerifiedFactor, renderUser } from '../core/render-user.ts';
import { type Contact, isConfirmed } from '../core/standing.ts';
import { toMs } from '../core/times.ts';
import { authError } from '../errors.ts';
import { setAppMetadata, setUserMetadata, storePassword } from '../flows/accounts.ts';
import { audit } from '../flows/audit.ts';
import { changeEmail, changePhone } from '../flows/confirm-changes.ts';
import { verifyTyped } from '../flows/guess.ts';
import { notify, sendEmailChange, sendTokenMail } from '../flows/mail-tokens.ts';
import { requireStrongPassword } from '../flows/password-strength.ts';
import { type Channel, parseChannel, sendPhoneCode } from '../flows/phone-codes.ts';
import { despiteRivals } from '../flows/rivals.ts';
import { requireNonce } from '../flows/verify.ts';
import { type Principal, requireCaller, requireUser } from '../http/authenticate.ts';
import { audienceOf, type Exchange, firstAudience } from '../http/exchange.ts';
import { insertFlowState } from '../queries/flow-states.ts';
import { deleteOneTimeTokens } from '../queries/one-time-tokens.ts';
import { findUserByPhone, findUserWithEmail, updateUser } from '../queries/users.ts';
import type { User } from '../rows.ts';
import type { Define, Handler } from './route.ts';

const dayMs = 24 * 3_600_000;

export function userRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/user', async (exchange) => {
    const { claims, user } = await requireCaller(ctx, exchange);
    if (audienceOf(ctx, exchange, claims) !== firstAudience(claims)) {
      throw authError('validation_failed', "Token audience doesn't match request audience");
    }
    return renderUser(user);
  });

  const update: Handler = (exchange) =>
    despiteRivals(async () => {
      const principal = await requireUser(ctx, exchange);
      await updateOwnUser(ctx, exchange, principal);
      return renderUser(principal.user);
    });
  define('PUT', '/user', update, { limit: 'user' });

  define('GET', '/reauthenticate', async (exchange) => {
    const { user } = await requireUser(ctx, exchange);
    const messageId = await reauthenticate(ctx, exchange, user);
    return messageId === undefined ? {} : { message_id: messageId };
  });
}

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

async function parseUpdate(ctx: AuthContext, exchange: Exchange): Promise<Update> {
  const body = exchange.body();
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

async function updateOwnUser(ctx: AuthContext, exchange: Exchange, principal: Principal): Promise<void> {
  const { user, session, claims } = principal;
  const update = await parseUpdate(ctx, exchange);
  if (update.appData !== undefined && !ctx.settings.adminRoles.includes(user.role ?? '')) {
    throw authError('not_admin', 'Updating app_metadata requires admin privileges');
  }
  // An owner confirms an unconfirmed contact of theirs by setting it again.
  const changes = (given: string, current: string | null, contact: Contact) =>
    given !== '' && (given !== current || !isConfirmed(user, contact));
  const changesEmail = changes(update.email, user.email, 'email');
  const changesPhone = changes(update.phone, user.phone, 'phone');
  refuseByKindOfUser(update, principal, changesEmail || changesPhone);
  const aud = audienceOf(ctx, exchange, claims);
  if (changesEmail && (await findUserWithEmail(ctx.pool, update.email, aud, user.id)))
    throw authError('email_exists');
  if (changesPhone && update.phone !== user.phone && (await findUserByPhone(ctx.pool, update.phone, aud)))
    throw authError('phone_exists');
  const challenge = changesEmail
    ? parseChallenge(update.codeChallenge, update.codeChallengeMethod)
    : undefined;
  const hash =
    update.password === undefined
      ? undefined
      : await newPasswordHash(ctx, exchange, principal, update, update.password);

  await ctx.pool.transaction(async (tx) => {
    if (hash !== undefined) {
      await storePassword(ctx, tx, user, hash, session?.id);
      await audit(ctx, tx, user, 'user_updated_password');
      await notify(ctx, tx, exchange, user, 'password_changed');
    }
    if (update.data !== undefined) await setUserMetadata(ctx, tx, user, update.data);
    if (update.appData !== undefined) await setAppMetadata(ctx, tx, user, update.appData);
    if (changesEmail) {
      // A guest who adds an address is much like one who signs up.
      if (user.is_anonymous && ctx.settings.email.autoconfirm) {
        user.email_change = update.email;
        await changeEmail(ctx, tx, exchange, user);
      } else {
        if (challenge) {
          const flow = {
            userId: user.id,
            providerType: 'email_change',
            authenticationMethod: 'email_change',
            challenge,
          };
          await insertFlowState(tx, flow, ctx.clock.now());
        }
        await sendEmailChange(ctx, tx, exchange, user, update.email, challenge !== undefined);
      }
    }
    if (changesPhone) await beginPhoneChange(ctx, tx, exchange, user, update);
    await audit(ctx, tx, user, 'user_modified');
  });
}

function refuseByKindOfUser(update: Update, { user, session }: Principal, changesContact: boolean): void {
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

/** Null removes the password. */
async function newPasswordHash(
  ctx: AuthContext,
  exchange: Exchange,
  { user, session }: Principal,
  update: Update,
  password: string,
): Promise<string | null> {
  const { needsReauthentication, needsCurrent } = ctx.settings.passwordChange;
  const isRecent = session !== undefined && ctx.clock.now() <= toMs(session.created_at) + dayMs;
  if (needsReauthentication && !isRecent) {
    if (update.nonce === '') throw authError('reauthentication_needed');
    await requireNonce(ctx, exchange, user, update.nonce);
    await updateUser(ctx.pool, user, { reauthentication_token: '' }, ctx.clock.now());
    await deleteOneTimeTokens(ctx.pool, user.id);
  }
  if (password === '') return null;
  const current = user.encrypted_password ?? '';
  if (current !== '') {
    // Whoever came by a code has shown another proof, recovery among them.
    const cameByCode = session?.amr_claims.some(({ authentication_method: method }) =>
      ['otp', 'magiclink', 'recovery'].includes(method),
    );
    if (needsCurrent && !cameByCode) {
      if (update.currentPassword === '') throw authError('current_password_required');
      const guess = { account: user.id, ownerId: user.id };
      const isCurrent = await verifyTyped(
        ctx,
        exchange,
        'password',
        guess,
        async () => (await ctx.passwords.verify(update.currentPassword, current)) || undefined,
      );
      if (!isCurrent) throw authError('current_password_invalid');
    }
    if (await ctx.passwords.verify(password, current)) throw authError('same_password');
  }
  return ctx.passwords.hash(password);
}

async function beginPhoneChange(
  ctx: AuthContext,
  tx: Transaction,
  exchange: Exchange,
  user: User,
  { phone, channel }: Update,
): Promise<void> {
  if (!ctx.settings.phone.autoconfirm) {
    await sendPhoneCode(ctx, tx, exchange, user, { phone, kind: 'phone_change', channel });
    return;
  }
  user.phone_change = phone;
  await changePhone(ctx, tx, exchange, user);
}

async function reauthenticate(ctx: AuthContext, exchange: Exchange, user: User): Promise<string | undefined> {
  const email = user.email ?? '';
  const phone = user.phone ?? '';
  if (email === '' && phone === '') {
    throw authError(
      'validation_failed',
      'Reauthentication requires the user to have an email or a phone number',
    );
  }
  if (email !== '' && user.email_confirmed_at === null) {
    throw authError('email_not_confirmed', 'Please verify your email first.', { status: 422 });
  }
  if (email === '' && user.phone_confirmed_at === null) {
    throw authError('phone_not_confirmed', 'Please verify your phone first.', { status: 422 });
  }
  return ctx.pool.transaction(async (tx) => {
    await audit(ctx, tx, user, 'user_reauthenticate_requested');
    if (email !== '') {
      await sendTokenMail(ctx, tx, exchange, user, 'reauthentication');
      return undefined;
    }
    return sendPhoneCode(ctx, tx, exchange, user, { phone, kind: 'reauthentication', channel: 'sms' });
  });
}
