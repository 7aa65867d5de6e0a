/**
 * What happens before an email or text message is sent: the pause between two messages of the same kind
 * (`max_frequency`), the list of authorized addresses, and the hook that can send the emails.
 *
 * The time of the last message is stored when the message has been sent. Therefore, concurrent requests must not only
 * read this time, but also exclude each other until the message has been sent and its time is visible (decision 86).
 */
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { renderUser } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { isPausing, requirePause } from '../limits/rate-limits.ts';
import { isAuthorized } from './mail-addresses.ts';
import { claimMessage, findSentAt, type SentColumn } from './queries.ts';

/**
 * Claims the next email of a kind for this transaction. If another request is sending such an email, throws the same
 * error as after the email has been sent. Sets the column of `user` to the time of the last email.
 * @throws {AuthError} over_email_send_rate_limit
 */
export function claimEmail(ctx: AuthContext, tx: Transaction, user: User, column: SentColumn): Promise<void> {
  return claim(ctx, tx, user, {
    column,
    minimumMs: ctx.settings.email.maxFrequencyMs,
    code: 'over_email_send_rate_limit',
  });
}

/** Claims the next text message. Works like {@link claimEmail}. @throws {AuthError} over_sms_send_rate_limit */
export function claimText(ctx: AuthContext, tx: Transaction, user: User, column: SentColumn): Promise<void> {
  return claim(ctx, tx, user, {
    column,
    minimumMs: ctx.settings.phone.maxFrequencyMs,
    code: 'over_sms_send_rate_limit',
  });
}

interface PauseRule {
  readonly column: SentColumn;
  readonly minimumMs: number;
  readonly code: 'over_email_send_rate_limit' | 'over_sms_send_rate_limit';
}

async function claim(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  { column, minimumMs, code }: PauseRule,
): Promise<void> {
  const now = ctx.clock.now();
  if (minimumMs <= 0) return;
  // Doesn't wait for the other request, because its message may take long, and waiting requests occupy connections.
  const isOurs = await claimMessage(tx, user.id, column);
  const sentAt = isOurs ? await findSentAt(tx, user.id, column) : fromMs(now);
  user[column] = sentAt;
  requirePause(sentAt === null ? undefined : toMs(sentAt), minimumMs, now, code);
}

/**
 * Whether the previous email was sent so recently that another email can't be sent yet. Only a hint, because a
 * concurrent request may be sending an email. `claimEmail` decides.
 */
export const isMailPausing = ({ settings, clock }: AuthContext, sentAt: string | null): boolean =>
  sentAt !== null && isPausing(toMs(sentAt), settings.email.maxFrequencyMs, clock.now());

/** Throws `email_address_not_authorized` if the project's list of addresses doesn't contain the address. */
export function requireAuthorized(ctx: AuthContext, email: string): void {
  if (email === '' || isAuthorized(email, ctx.settings.mail.authorizedAddresses)) return;
  throw authError(
    'email_address_not_authorized',
    `Email address ${JSON.stringify(email)} cannot be used as it is not authorized`,
  );
}

/** Runs the `send_email` hook. The hook receives empty strings for fields that are missing in `emailData`. */
export async function callSendEmailHook(
  ctx: AuthContext,
  tx: Transaction | undefined,
  caller: Caller,
  { user, emailData }: { readonly user: User; readonly emailData: Readonly<Record<string, string>> },
): Promise<void> {
  const email_data = {
    token: '',
    token_hash: '',
    redirect_to: '',
    email_action_type: '',
    // The URL of the auth service. Upstream also sends this URL to the hook under this name.
    site_url: ctx.settings.externalUrl(),
    token_new: '',
    token_hash_new: '',
    old_email: '',
    old_phone: '',
    provider: '',
    factor_type: '',
    ...emailData,
  };
  await runHook(ctx, caller, { name: 'send_email', input: { user: renderUser(user), email_data }, tx });
}

/**
 * Sends an email. Rethrows an {@link AuthError}. For any other failure, throws an internal error with the given
 * message.
 */
export async function wrapFailure(message: string, send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError(message, cause);
  }
}
