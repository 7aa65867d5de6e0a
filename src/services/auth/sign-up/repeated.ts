/** Handles sign-ups with a contact that already has an account. */

import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { sendTokenMail } from '../codes/mail-tokens.ts';
import { countUnsentMessage, signUpKind } from '../codes/unknown-address.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { contactStatus, isPrepared } from '../common/contact.ts';
import type { JsonObject } from '../common/json.ts';
import type { Identity, User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import { awaitUser, findUserById } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { isPausing } from '../limits/rate-limits.ts';
import { isMailPausing } from '../messages/sending.ts';
import { draftUser, emptyUser, identityClaims, type Provider } from './accounts.ts';
import { type CheckedSignUp, confirmsImmediately, hidesAccounts } from './check.ts';
import { requestConfirmation } from './request-confirmation.ts';
import { nothing, resetUnclaimed } from './reset-unclaimed.ts';

/**
 * Handles a sign-up with a contact that already has an account. Doesn't issue a session. For an unclaimed account,
 * stores the new password and metadata and sends a new code, so that only the code's recipient can confirm the account.
 */
export async function signUpAgain(
  ctx: AuthContext,
  caller: Caller,
  existing: User,
  checked: CheckedSignUp,
): Promise<User> {
  if (!isOpen(ctx, existing, checked)) return respondToExistingUser(ctx, caller, existing, checked);
  const hash = await ctx.passwords.hash(checked.password);
  const passwordHash = checked.byCode ? null : hash;
  const response = hidesAccounts(ctx, checked.provider) && (await invent(ctx, checked));
  let user: User | undefined;
  await ctx.backgroundWork.do(response !== false, async () => {
    user = await replaceSignUp(ctx, caller, { existing, checked, passwordHash });
  });
  if (response !== false) return response;
  if (!user) return respondToExistingUser(ctx, caller, existing, checked);
  if (!isPrepared(user)) return user;
  return { ...user, raw_user_meta_data: {}, identities: [] };
}

/**
 * Replaces an unclaimed account's data. Returns undefined if another request has claimed the account. Throws an error
 * with status 429 if the last code was sent too recently, except for the Account pages.
 */
async function replaceSignUp(
  ctx: AuthContext,
  caller: Caller,
  {
    existing,
    checked,
    passwordHash,
  }: { readonly existing: User; readonly checked: CheckedSignUp; readonly passwordHash: string | null },
): Promise<User | undefined> {
  let isTooEarly = false;
  const user = await ctx.pool.transaction(async (tx) => {
    await awaitUser(tx, existing.id);
    const current = await findUserById(tx, existing.id);
    if (!current || !isOpen(ctx, current, checked)) return undefined;
    isTooEarly = isTooSoon(ctx, current, checked.provider);
    if (isTooEarly) {
      await contest(ctx, tx, current, checked);
      return current;
    }
    await resetUnclaimed(ctx, tx, current, { contact: checked.provider, passwordHash, data: checked.data });
    await requestConfirmation(ctx, tx, caller, { user: current, checked });
    return current;
  });
  // The Account pages show the form for the code that was sent before. For other clients, throws an error, as in
  // upstream. The changes made by `contest` have already been committed, so the error doesn't roll them back.
  if (user && isTooEarly && caller.pageLanguage === undefined)
    await ctx.pool.transaction((tx) => requestConfirmation(ctx, tx, caller, { user, checked }));
  return user;
}

/** Whether the last confirmation code was sent too recently to send another code. */
function isTooSoon({ settings, clock }: AuthContext, user: User, provider: Provider): boolean {
  const { confirmation_sent_at: sentAt } = user;
  return sentAt !== null && isPausing(toMs(sentAt), settings[provider].maxFrequencyMs, clock.now());
}

/**
 * Handles a second sign-up for which the first sign-up's code is used, because it was sent recently. The code can't
 * prove which of the two passwords was chosen by the account's owner, so removes the password unless the passwords are
 * equal.
 */
async function contest(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { provider, password }: CheckedSignUp,
): Promise<void> {
  if (await ctx.passwords.verify(password, user.encrypted_password ?? '')) return;
  await resetUnclaimed(ctx, tx, user, { contact: provider, ...nothing });
}

/** Whether the account with this contact is unclaimed, so that entering the code will prove who owns the account. */
function isOpen(ctx: AuthContext, user: User, { provider, email, phone }: CheckedSignUp): boolean {
  const isOwnColumn = provider === 'email' ? user.email?.toLowerCase() === email : user.phone === phone;
  return isOwnColumn && contactStatus(user, provider) === 'unclaimed' && !confirmsImmediately(ctx, provider);
}

/**
 * Returns the response for a contact that already has an account. With autoconfirm, the response is an error.
 * Otherwise, the response looks like the response for a new account and contains a fake ID. Upstream's response
 * contains no identity, which reveals that the account exists.
 */
async function respondToExistingUser(
  ctx: AuthContext,
  caller: Caller,
  user: User,
  checked: CheckedSignUp,
): Promise<User> {
  await ctx.pool.transaction((tx) =>
    audit(ctx, tx, user, { action: 'user_repeated_signup', traits: { provider: checked.provider } }),
  );
  if (confirmsImmediately(ctx, checked.provider)) throw authError('user_already_exists');
  await ctx.passwords.pretendToVerify(checked.password);
  const invented = await invent(ctx, checked);
  const { provider } = checked;
  if (provider === 'phone') {
    await ctx.backgroundWork.do(hidesAccounts(ctx, provider), () =>
      countUnsentMessage(ctx, provider, checked.phone, 'sign-up'),
    );
  } else await mailExistingAccount(ctx, caller, user, checked.email);
  if (hidesAccounts(ctx, checked.provider)) return invented;
  return { ...invented, role: '', raw_user_meta_data: checked.data, identities: [] };
}

/**
 * Emails a sign-in code to an account's owner who signs up again on the Account pages, because these pages then show
 * the form for a code. For other clients, no email is sent, as in upstream.
 */
export async function mailExistingAccount(
  ctx: AuthContext,
  caller: Caller,
  user: User,
  email: string,
): Promise<void> {
  const isOwners = user.email?.toLowerCase() === email && contactStatus(user, 'email') === 'confirmed';
  if (caller.pageLanguage === undefined || !isOwners) {
    return ctx.backgroundWork.do(ctx.settings.email.hidesAccounts, () =>
      countUnsentMessage(ctx, 'email', email, signUpKind(caller)),
    );
  }
  // Doesn't send another code, because the last code was sent recently and is still valid.
  if (isMailPausing(ctx, user.recovery_sent_at)) return;
  await ctx.backgroundWork.do(ctx.settings.email.hidesAccounts, () =>
    ctx.pool
      .transaction((tx) => sendTokenMail(ctx, tx, caller, { user, kind: 'existing_account' }))
      .catch((error: unknown) => {
        // A concurrent request has sent the code.
        if (!isMailPausing(ctx, user.recovery_sent_at)) throw error;
      }),
  );
}

/** Returns a fake account that looks like a newly created account. */
async function invent(ctx: AuthContext, checked: CheckedSignUp): Promise<User> {
  const draft = await draftUser(ctx, { ...checked, password: '' });
  const now = fromMs(ctx.clock.now());
  const claims = checked.email === '' ? {} : { email: checked.email };
  const identityData = { ...checked.data, ...identityClaims({ ...emptyUser, id: draft.id }, claims) };
  const identity: Identity = {
    id: randomUUID(),
    provider_id: draft.id,
    user_id: draft.id,
    identity_data: identityData,
    provider: checked.provider,
    last_sign_in_at: now,
    created_at: now,
    updated_at: now,
    email: checked.email || null,
  };
  return {
    ...emptyUser,
    id: draft.id,
    aud: checked.aud,
    role: ctx.settings.defaultRole.trim(),
    email: draft.email,
    phone: draft.phone,
    created_at: now,
    updated_at: now,
    confirmation_sent_at: now,
    raw_app_meta_data: draft.appMetaData as JsonObject,
    raw_user_meta_data: identityData,
    identities: [identity],
  };
}
