/** Adds identities to existing accounts, through manual linking or an invitation. */
import type { Transaction } from '../../../platform/database/types.ts';
import { sendEmailChange } from '../account/email-change-mail.ts';
import { confirmationLinkLifetimeMs, isCodeExpired, lockTokenOwner } from '../codes/find-owner.ts';
import { findOneTimeToken } from '../codes/queries.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { contactStatus } from '../common/contact.ts';
import type { User } from '../common/rows.ts';
import { awaitUser, findUserById, findUserWithEmail, updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { notify } from '../security-events/notify.ts';
import {
  addIdentity,
  confirmEmail,
  reloadUser,
  stopBeingAnonymous,
  syncProviders,
} from '../sign-up/accounts.ts';
import { keepOnlyIdentity } from '../sign-up/reset-unclaimed.ts';
import { requireNoSso } from '../sso/enforced.ts';
import { auditLinked, type ExternalOutcome } from './accounts.ts';
import { type ExternalProfile, identityDataOf } from './profile.ts';
import { countIdentities, findIdentity } from './queries.ts';

const invitationTypes = ['confirmation_token'] as const;

/** The maximum number of identities that a user can link. There are about 25 providers. */
const maxIdentitiesPerUser = 50;

export interface ExternalIdentity {
  readonly provider: string;
  readonly profile: ExternalProfile;
}

/**
 * Links another identity to the user's account. If the user has no address, the identity's address becomes the user's
 * address. An unverified address must be confirmed first.
 * @throws {AuthError} identity_already_exists, email_exists, sso_required, or validation_failed if the user has too many
 * identities
 */
export async function linkIdentity(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { target, provider, profile }: ExternalIdentity & { readonly target: User },
): Promise<ExternalOutcome> {
  const known = await findIdentity(tx, profile.claims.sub, provider);
  if (known) {
    const whose = known.user_id === target.id ? '' : ' to another user';
    throw authError('identity_already_exists', `Identity is already linked${whose}`);
  }
  // The row's lock prevents concurrent requests from exceeding the limit.
  await awaitUser(tx, target.id);
  if ((await countIdentities(tx, target.id)) >= maxIdentitiesPerUser)
    throw authError('validation_failed', 'Maximum number of identities reached', { status: 422 });
  const data = identityDataOf(profile);
  const email = typeof data.email === 'string' ? data.email.toLowerCase() : '';
  // Both addresses are checked, because the identity is a sign-in method without SSO, and because its address can
  // become the user's address now or later.
  for (const each of [target.email, email]) await requireNoSso(ctx, tx, each);
  const identity = await addIdentity(ctx, tx, target, { provider, data });
  const event = await auditLinked(ctx, tx, caller, { user: target, identity });
  const user = await reloadUser(tx, target);
  if (!user.email && email !== '') {
    if (await findUserWithEmail(tx, email, user.aud ?? '', user.id)) {
      throw authError('email_exists', undefined, { status: 400 });
    }
    if (data.email_verified !== true) {
      // The address is stored as a pending change, so that an unconfirmed claim to the address doesn't block its real
      // owner.
      await sendEmailChange(ctx, tx, caller, { user, newEmail: email, isPkce: false });
      const error = authError(
        'email_not_confirmed',
        `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
        { status: 422 },
      );
      return { kind: 'refusal', error };
    }
    await updateUser(tx, user, { email }, ctx.clock.now());
    await confirmEmail(ctx, tx, user);
  }
  await stopBeingAnonymous(ctx, tx, user);
  await syncProviders(ctx, tx, user);
  await notify(ctx, caller, { user, kind: 'identity_linked', provider, event, tx });
  return { kind: 'user', user: await reloadUser(tx, user), isNew: false };
}

/** Throws `invite_not_found` if the invitation is unknown or expired. The invitation stays valid. */
export async function requireInvitation(ctx: AuthContext, token: string): Promise<void> {
  const row = await findOneTimeToken(ctx.pool, token, invitationTypes);
  requireInvited(ctx, row && (await findUserById(ctx.pool, row.user_id)));
}

/** Returns the invited user. @throws {AuthError} invite_not_found */
function requireInvited(ctx: AuthContext, user: User | undefined): User {
  const sentAt = user?.confirmation_sent_at;
  // At this point, upstream accepts expired invitations, although the links in them no longer work.
  const isOld =
    user && sentAt && isCodeExpired(sentAt, confirmationLinkLifetimeMs(ctx, user), ctx.clock.now());
  if (!user || isOld || contactStatus(user, 'email') !== 'unclaimed') throw authError('invite_not_found');
  return user;
}

/**
 * Accepts an invitation with a sign-in through a provider. The profile from the provider must include the invited
 * address.
 * @throws {AuthError} invite_not_found, validation_failed
 */
export async function acceptInvite(
  ctx: AuthContext,
  tx: Transaction,
  token: string,
  { provider, profile }: ExternalIdentity,
): Promise<ExternalOutcome> {
  const user = requireInvited(ctx, (await lockTokenOwner(tx, token, invitationTypes))?.user);
  if (!profile.emails.some(({ email }) => email.toLowerCase() === user.email)) {
    throw authError('validation_failed', 'Invited email does not match emails from external provider');
  }
  const data = identityDataOf(profile);
  const identity = await addIdentity(ctx, tx, user, { provider, data });
  await audit(ctx, tx, user, { action: 'invite_accepted', traits: { provider } });
  await keepOnlyIdentity(ctx, tx, user, { identity, passwordHash: null });
  await confirmEmail(ctx, tx, user);
  return { kind: 'user', user: await reloadUser(tx, user), isNew: false };
}
