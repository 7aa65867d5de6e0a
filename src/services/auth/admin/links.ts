/** Creates invitations, and links for emails, on behalf of administrators. */

import type { Transaction } from '../../../platform/database/types.ts';
import { storeEmailChange } from '../account/email-change-mail.ts';
import { sendTokenMail } from '../codes/mail-tokens.ts';
import { setOneTimeToken } from '../codes/queries.ts';
import { type Actor, adminActor, audit } from '../common/audit.ts';
import { type AdminCaller, audienceOf, type Caller } from '../common/caller.ts';
import { contactStatus, parseEmail } from '../common/contact.ts';
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { isRedirectAllowed } from '../common/redirects.ts';
import type { User } from '../common/rows.ts';
import { linkHash, oneTimePassword, randomPassword, tokenHash } from '../common/secrets.ts';
import { fromMs } from '../common/times.ts';
import {
  awaitUser,
  findUserByEmail,
  findUserById,
  findUserWithEmail,
  type NewUser,
  updateUser,
} from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { type LinkType, linkFor } from '../messages/links.ts';
import { requireStrongPassword } from '../passwords/strength.ts';
import {
  addIdentity,
  createUser,
  draftUser,
  identityClaims,
  runAfterUserCreated,
  runBeforeUserCreated,
  setUserMetadata,
} from '../sign-up/accounts.ts';
import { resetUnclaimed, type SignUpContent } from '../sign-up/reset-unclaimed.ts';

/** Creates an account and sends its invitation by email. @throws {AuthError} email_exists */
export async function invite(ctx: AuthContext, caller: AdminCaller, body: Fields): Promise<User> {
  const { claims } = caller;
  const email = parseEmail(body.text('email'));
  const aud = audienceOf(ctx, caller, claims);
  const existing = await findUserByEmail(ctx.pool, email, aud);
  if (existing && contactStatus(existing, 'email') !== 'unclaimed') throw authError('email_exists');
  const draft = existing
    ? undefined
    : await draftInvited(ctx, caller, { aud, email, data: body.object('data') ?? {} });
  const invited = await ctx.pool.transaction(async (tx) => {
    const user = existing
      ? await consumeOver(ctx, tx, existing, { passwordHash: null, data: body.object('data') ?? {} })
      : await createWithIdentity(ctx, tx, draft as NewUser);
    const traits = { user_id: user.id, user_email: user.email ?? '' };
    await audit(ctx, tx, adminActor(claims), { action: 'user_invited', traits });
    await sendTokenMail(ctx, tx, caller, { user, kind: 'invite' });
    return user;
  });
  if (!existing) await runAfterUserCreated(ctx, caller, invited);
  return invited;
}

/**
 * Removes data that earlier requests added to an unconfirmed account. Otherwise, the administrator's link would confirm
 * data that another person entered in an earlier sign-up.
 */
async function consumeOver(
  ctx: AuthContext,
  tx: Transaction,
  existing: User,
  content: SignUpContent,
): Promise<User> {
  await awaitUser(tx, existing.id);
  const user = await findUserById(tx, existing.id);
  if (!user || contactStatus(user, 'email') !== 'unclaimed') throw authError('email_exists');
  await resetUnclaimed(ctx, tx, user, { contact: 'email', ...content });
  return user;
}

async function draftInvited(
  ctx: AuthContext,
  caller: Caller,
  invited: {
    readonly aud: string;
    readonly email: string;
    readonly data: JsonObject;
    readonly password?: string;
  },
): Promise<NewUser> {
  const draft = await draftUser(ctx, { provider: 'email', ...invited });
  await runBeforeUserCreated(ctx, caller, draft);
  return draft;
}

async function createWithIdentity(ctx: AuthContext, tx: Transaction, draft: NewUser): Promise<User> {
  const user = await createUser(ctx, tx, draft);
  const claims = identityClaims(user, user.email === null ? {} : { email: user.email });
  user.identities = [await addIdentity(ctx, tx, user, { provider: 'email', data: claims })];
  return user;
}

const generatedTypes = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new',
] as const;

type GeneratedType = (typeof generatedTypes)[number];

interface LinkRequest {
  readonly type: GeneratedType;
  readonly email: string;
  readonly newEmail: string;
  readonly password: string;
  readonly data: JsonObject | undefined;
  readonly redirectTo: string;
  readonly aud: string;
}

export interface GeneratedLink {
  readonly user: User;
  readonly actionLink: string;
  readonly otp: string;
  readonly hashedToken: string;
  readonly type: string;
  readonly redirectTo: string;
}

/** Generates the code and the link of an email without sending the email. */
export async function generateLink(
  ctx: AuthContext,
  caller: AdminCaller,
  body: Fields,
): Promise<GeneratedLink> {
  const request = parseLinkRequest(ctx, caller, body);
  const existing = await findUserByEmail(ctx.pool, request.email, request.aud);
  // If the address is unknown, a magic link is handled as a sign-up.
  const type = request.type === 'magiclink' && !existing ? 'signup' : request.type;
  if (!existing && type !== 'signup' && type !== 'invite') {
    throw authError('user_not_found', 'User with this email not found');
  }
  const status = existing && contactStatus(existing, 'email');
  const confirms = type === 'signup' || type === 'invite';
  if (existing && confirms && status !== 'unclaimed') throw authError('email_exists');
  if (status === 'closed' && !type.startsWith('email_change')) {
    throw authError('email_not_confirmed', undefined, { status: 422 });
  }
  const otp = oneTimePassword(ctx.settings.email.otpLength);
  const hash = tokenHash(request.email, otp);
  const draft = existing ? undefined : await draftLinked(ctx, caller, request, type);
  const passwordHash = existing && type === 'signup' ? await givenHash(ctx, request.password) : null;
  const { user, ofLink } = await ctx.pool.transaction(async (tx) => {
    const known =
      existing && confirms
        ? await consumeOver(ctx, tx, existing, { passwordHash, data: request.data ?? {} })
        : existing;
    const target = known ?? (await createWithIdentity(ctx, tx, draft as NewUser));
    const link = { request: { ...request, type }, otp, hash, actor: adminActor(caller.claims) };
    return { user: target, ofLink: await storeLink(ctx, tx, target, link) };
  });
  if (!existing) await runAfterUserCreated(ctx, caller, user);
  const linkType: LinkType = type.startsWith('email_change') ? 'email_change' : (type as LinkType);
  return {
    user,
    actionLink: linkFor(ctx, { hash: ofLink, type: linkType, redirectTo: request.redirectTo }, false),
    otp,
    // Upstream returns the hash for the old address, which isn't stored for `email_change_new`.
    hashedToken: ofLink,
    type,
    redirectTo: request.redirectTo,
  };
}

async function givenHash(ctx: AuthContext, password: string): Promise<string | null> {
  if (password === '') return null;
  await requireStrongPassword(ctx, password);
  return ctx.passwords.hash(password);
}

function parseLinkRequest(ctx: AuthContext, caller: AdminCaller, body: Fields): LinkRequest {
  const name = body.text('type');
  const email = parseEmail(body.text('email'));
  const type = generatedTypes.find((each) => each === name);
  if (type === undefined) {
    throw authError('validation_failed', `Invalid email action link type requested: ${name}`);
  }
  const requested = body.text('redirect_to');
  if (type === 'email_change_current' && !ctx.settings.email.doubleConfirmChanges) {
    throw authError('validation_failed', 'Enable secure email change to generate link for current email');
  }
  return {
    type,
    email,
    newEmail: type.startsWith('email_change') ? parseEmail(body.text('new_email')) : '',
    password: body.text('password'),
    data: body.object('data'),
    redirectTo:
      isRedirectAllowed(ctx.settings.redirects, requested) && requested !== ''
        ? requested
        : caller.redirectTo(),
    aud: audienceOf(ctx, caller, caller.claims),
  };
}

async function draftLinked(
  ctx: AuthContext,
  caller: Caller,
  request: LinkRequest,
  type: GeneratedType,
): Promise<NewUser> {
  const { aud, email, data = {} } = request;
  if (type === 'invite') return draftInvited(ctx, caller, { aud, email, data });
  const password =
    request.type === 'magiclink' ? randomPassword(ctx.settings.password.requiredSets, 64) : request.password;
  if (password === '') throw authError('validation_failed', 'Signup requires a valid password');
  await requireStrongPassword(ctx, password);
  return draftInvited(ctx, caller, { aud, email, data, password });
}

interface NewLink {
  readonly request: LinkRequest;
  readonly otp: string;
  /** The hash of the code for the user's current address. */
  readonly hash: string;
  readonly actor: Actor;
}

/** Stores the hashes of the code and of the link, and returns the link's. */
async function storeLink(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { request, otp, hash, actor }: NewLink,
): Promise<string> {
  const now = ctx.clock.now();
  const sentAt = fromMs(now);
  const email = user.email ?? '';
  const ofLink = linkHash(email);
  switch (request.type) {
    case 'magiclink':
    case 'recovery':
      await audit(ctx, tx, user, { action: 'user_recovery_requested' });
      await updateUser(tx, user, { recovery_token: hash, recovery_sent_at: sentAt }, now);
      await setOneTimeToken(tx, { userId: user.id, type: 'recovery_token', hash: ofLink, relatesTo: email });
      return ofLink;
    case 'signup':
    case 'invite': {
      const isInvite = request.type === 'invite';
      if (isInvite) {
        const traits = { user_id: user.id, user_email: email };
        await audit(ctx, tx, actor, { action: 'user_invited', traits });
      } else if (request.data) await setUserMetadata(ctx, tx, user, request.data);
      const invited = isInvite ? { invited_at: sentAt } : {};
      await updateUser(tx, user, { confirmation_token: hash, confirmation_sent_at: sentAt, ...invited }, now);
      const token = { userId: user.id, type: 'confirmation_token', hash: ofLink, relatesTo: email } as const;
      await setOneTimeToken(tx, token);
      return ofLink;
    }
    default: {
      if (await findUserWithEmail(tx, request.newEmail, user.aud ?? '', user.id))
        throw authError('email_exists');
      const isCurrent = request.type === 'email_change_current';
      const proof = { code: isCurrent ? hash : tokenHash(request.newEmail, otp), link: ofLink };
      await storeEmailChange(ctx, tx, user, {
        newEmail: request.newEmail,
        ...(isCurrent ? { current: proof } : { new: proof }),
      });
      return ofLink;
    }
  }
}
