/**
 * Finds, links or creates accounts for users who were authenticated with social providers, ID tokens, SSO connections
 * or wallets. Discards data of unverified origin to prevent account pre-hijacking.
 */
import type { Transaction } from '../../../platform/database/types.ts';
import { sendTokenMail } from '../codes/mail-tokens.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { becomesAnother, contactStatus, hasOwner } from '../common/contact.ts';
import type { Proof } from '../common/proof.ts';
import { isBanned } from '../common/render-user.ts';
import type { Identity, User } from '../common/rows.ts';
import { findUserById, findUserIdsByEmail, findUserWithEmail, updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError, internalError } from '../errors.ts';
import type { SecurityEvent } from '../security-events/events.ts';
import { notify } from '../security-events/notify.ts';
import { recordEvent } from '../security-events/record.ts';
import {
  addIdentity,
  confirmEmail,
  createUser,
  draftUser,
  reloadUser,
  runBeforeUserCreated,
  setUserMetadata,
  syncProviders,
} from '../sign-up/accounts.ts';
import { keepOnlyIdentity } from '../sign-up/reset-unclaimed.ts';
import { candidateEmail, decideLinking, defaultDomain, linkingDomain, verifiedEmails } from './linking.ts';
import { type ExternalProfile, identityDataOf } from './profile.ts';
import { findIdentitiesByEmail, findIdentity, replaceIdentityData } from './queries.ts';

export interface ExternalSignIn {
  /** The name of the provider in stored identities, such as `google`, `custom:NAME`, `sso:ID` or `web3`. */
  readonly provider: string;
  readonly profile: ExternalProfile;
  /** Whether the sign-in accepts users without an email address. */
  readonly emailOptional: boolean;
  readonly aud: string;
  /** The rules of the organization whose connection authenticated the user. */
  readonly rules?: OrganizationRules | undefined;
}

/** Limits a connection of an organization to the accounts of its verified domains. */
export interface OrganizationRules {
  /** Returns the ID of an existing account to which the identity is added. */
  findAccount(tx: Transaction): Promise<string | undefined>;
  /** Checks the account that the sign-in reaches. @throws {AuthError} sso_not_allowed */
  checkAccount(tx: Transaction, user: User): Promise<void>;
}

/** The result of a sign-in. After a `refusal`, the caller commits the transaction and then throws the error. */
export type ExternalOutcome =
  | { readonly kind: 'user'; readonly user: User; readonly isNew: boolean }
  | { readonly kind: 'refusal'; readonly error: AuthError };

/**
 * Runs the project's `before_user_created` hook. Call this function before the transaction that creates the account,
 * because hooks may be slow.
 * @throws {AuthError} signup_disabled, and the hook's error
 */
export async function runBeforeExternalUser(
  ctx: AuthContext,
  caller: Caller,
  signIn: ExternalSignIn,
): Promise<void> {
  if (!ctx.settings.hooks.before_user_created.enabled) return;
  const match = await ctx.pool.transaction((tx) => matchAccount(tx, signIn));
  if (match.kind !== 'create') return;
  if (!ctx.settings.signupEnabled) throw authError('signup_disabled');
  await runBeforeUserCreated(ctx, caller, await draftOf(ctx, signIn, match.email));
}

/**
 * Signs in a user whom a third party has authenticated.
 * @throws {AuthError} signup_disabled, user_banned
 */
export async function signInExternally(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  signIn: ExternalSignIn,
): Promise<ExternalOutcome> {
  const match = await matchAccount(tx, signIn);
  if (match.kind !== 'create') await signIn.rules?.checkAccount(tx, match.user);
  const { user, identity, linked } = await applyMatch(ctx, tx, caller, { signIn, match });
  if (isBanned(user, ctx.clock.now())) throw authError('user_banned', undefined, { status: 403 });
  if (linked !== undefined && user.email_confirmed_at !== null) {
    const details = { provider: signIn.provider, event: linked, isOnlyOurs: true };
    await notify(ctx, caller, { user, kind: 'identity_linked', ...details, tx });
  }
  const isNew = match.kind === 'create';
  const needsNoEmail = signIn.provider === 'web3' || (signIn.emailOptional && match.email === '');
  if (needsNoEmail || user.email_confirmed_at !== null || (!isNew && hasOwner(user))) {
    await audit(ctx, tx, user, { action: 'login', traits: { provider: signIn.provider } });
    return { kind: 'user', user: await reloadUser(tx, user), isNew };
  }
  await keepOnlyIdentity(ctx, tx, user, { identity, passwordHash: null });
  if (await isVerifiedByProvider(ctx, tx, user, signIn)) {
    await audit(ctx, tx, user, { action: 'user_signedup', traits: { provider: signIn.provider } });
    await confirmEmail(ctx, tx, user);
    return { kind: 'user', user: await reloadUser(tx, user), isNew };
  }
  const error = await requestVerification(ctx, tx, caller, { user, provider: signIn.provider });
  return { kind: 'refusal', error };
}

/**
 * Whether the provider has verified the address of the account. If the account is unconfirmed and the provider has
 * verified a different address, that address becomes the account's address, unless another user already has it.
 */
async function isVerifiedByProvider(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { profile, aud }: ExternalSignIn,
): Promise<boolean> {
  const candidate = candidateEmail(profile.emails);
  const verified = verifiedEmails(profile.emails);
  if (user.email && verified.includes(user.email.toLowerCase())) return true;
  if (candidate.verified && !(await findUserWithEmail(tx, candidate.email, aud, user.id))) {
    await updateUser(tx, user, { email: candidate.email }, ctx.clock.now());
    return true;
  }
  return ctx.settings.email.autoconfirm && (user.email ?? '') !== '' && user.email === candidate.email;
}

export function identityProof({ provider, profile }: Pick<ExternalSignIn, 'provider' | 'profile'>): Proof {
  return { by: 'identity', provider, providerId: profile.claims.sub };
}

type AccountMatch = { readonly email: string } & (
  | { readonly kind: 'exists'; readonly user: User; readonly identity: Identity }
  | { readonly kind: 'link'; readonly user: User }
  | { readonly kind: 'create' }
);

/** Finds the account for a sign-in. `email` is the address that the sign-in would confirm. */
async function matchAccount(tx: Transaction, signIn: ExternalSignIn): Promise<AccountMatch> {
  const { provider, profile, aud } = signIn;
  const { email } = candidateEmail(profile.emails);
  const identity = await findIdentity(tx, profile.claims.sub, provider);
  if (identity) {
    const user = await findUserById(tx, identity.user_id);
    if (!user) throw internalError('Database error finding user');
    return { kind: 'exists', user, identity, email: user.email ?? '' };
  }
  const ownId = await signIn.rules?.findAccount(tx);
  const own = ownId === undefined ? undefined : await findUserById(tx, ownId);
  if (own !== undefined) return { kind: 'link', user: own, email };
  const verified = verifiedEmails(profile.emails);
  if (verified.length === 0) {
    const isTaken = email !== '' && (await findUserWithEmail(tx, email, aud));
    return { kind: 'create', email: isTaken ? '' : email };
  }
  const identities = await findIdentitiesByEmail(tx, verified);
  const decision = decideLinking(provider, identities, await findUserIdsByEmail(tx, verified));
  if (decision.kind === 'create') {
    // The primary address from the provider may be unverified, and may belong to another user.
    const isTaken = email !== '' && !verified.includes(email) && (await findUserWithEmail(tx, email, aud));
    return { kind: 'create', email: isTaken ? '' : email };
  }
  const user = decision.kind === 'link' ? await findUserById(tx, decision.userId) : undefined;
  if (!user) {
    const domain = linkingDomain(provider);
    throw internalError(
      `Multiple accounts with the same email address in the same linking domain detected: ${domain}`,
    );
  }
  // Rejects the sign-in if the account's owner never confirmed the address, because users can't sign in with such an
  // address.
  const isByAddress = verified.includes(user.email?.toLowerCase() ?? '');
  if (isByAddress && contactStatus(user, 'email') === 'closed') throw authError('email_exists');
  return { kind: 'link', user, email };
}

async function applyMatch(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { signIn, match }: { readonly signIn: ExternalSignIn; readonly match: AccountMatch },
): Promise<{ user: User; identity: Identity; linked?: SecurityEvent | undefined }> {
  const data = identityDataOf(signIn.profile);
  switch (match.kind) {
    case 'exists': {
      const { user, identity } = match;
      await replaceIdentityData(tx, identity, data, ctx.clock.now());
      await setUserMetadata(ctx, tx, user, identity.identity_data);
      await syncProviders(ctx, tx, user);
      return { user, identity };
    }
    case 'link': {
      const { user } = match;
      const identity = await addIdentity(ctx, tx, user, { provider: signIn.provider, data });
      await setUserMetadata(ctx, tx, user, identity.identity_data);
      await syncProviders(ctx, tx, user);
      return { user, identity, linked: await auditLinked(ctx, tx, caller, { user, identity }) };
    }
    case 'create': {
      if (!ctx.settings.signupEnabled) throw authError('signup_disabled');
      const user = await createUser(ctx, tx, await draftOf(ctx, signIn, match.email));
      const identity = await addIdentity(ctx, tx, user, { provider: signIn.provider, data });
      return { user, identity };
    }
  }
}

const draftOf = (ctx: AuthContext, signIn: ExternalSignIn, email: string) =>
  draftUser(ctx, {
    aud: signIn.aud,
    provider: signIn.provider,
    email,
    data: identityDataOf(signIn.profile),
    isSsoUser: linkingDomain(signIn.provider) !== defaultDomain,
  });

export async function auditLinked(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, identity }: { readonly user: User; readonly identity: Identity },
): Promise<SecurityEvent | undefined> {
  const traits = {
    identity_id: identity.id,
    provider: identity.provider,
    provider_id: identity.provider_id,
  };
  await audit(ctx, tx, user, { action: 'identity_linked', ip: caller.ip, traits });
  const details = { identity_id: identity.id, provider: identity.provider };
  return recordEvent(ctx, tx, caller, { userId: user.id, kind: 'identity_linked', details });
}

async function requestVerification(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, provider }: { readonly user: User; readonly provider: string },
): Promise<AuthError> {
  if (!user.email) {
    return authError(
      'provider_email_needs_verification',
      `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
    );
  }
  await sendTokenMail(ctx, tx, caller, { user, kind: 'signup' });
  return authError(
    'provider_email_needs_verification',
    `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`,
  );
}

/**
 * Checks that the claims contain a subject, and that none of the addresses can become another user's address when it is
 * converted to lowercase.
 * @throws {AuthError} validation_failed
 */
export function requireIdentifying({ emails, claims }: ExternalProfile): void {
  if (claims.sub === '') throw internalError('Error getting user profile from external provider');
  const named = [...emails.map(({ email }) => email), claims.email];
  if (named.some((email) => typeof email === 'string' && becomesAnother(email))) {
    throw authError('validation_failed', 'Unable to validate email address: invalid format');
  }
}
