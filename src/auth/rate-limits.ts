/**
 * Limits of the whole server on what costs money. Limits by address are off, as in the local stack, which names no
 * header to tell addresses apart.
 */
import { createTokenBucket } from './core/token-bucket.ts';
import { authError } from './errors.ts';
import type { Settings } from './settings.ts';

export interface RateLimits {
  /** Throws `over_email_send_rate_limit`. */
  email(nowMs: number): void;
  /** Throws `over_sms_send_rate_limit`. */
  sms(nowMs: number): void;
}

export function createRateLimits({ hourly, email, phone }: Settings): RateLimits {
  const emails = createTokenBucket(hourly.emails);
  const messages = createTokenBucket(hourly.sms);
  return {
    email(nowMs) {
      // Under autoconfirm only a limit of 0 counts, as upstream.
      const isOver = hourly.emails === 0 || (!email.autoconfirm && !emails.take(nowMs));
      if (isOver) throw authError('over_email_send_rate_limit');
    },
    sms(nowMs) {
      if (!phone.autoconfirm && !messages.take(nowMs)) throw authError('over_sms_send_rate_limit');
    },
  };
}

/** Throws 429 while less than `minimumMs` have passed since the last one to this user. */
export function requirePause(
  sentAtMs: number | undefined,
  minimumMs: number,
  nowMs: number,
  code: 'over_email_send_rate_limit' | 'over_sms_send_rate_limit',
): void {
  if (sentAtMs === undefined || sentAtMs + minimumMs <= nowMs) return;
  const seconds = Math.trunc((sentAtMs + minimumMs - nowMs) / 1000);
  throw authError(code, `For security purposes, you can only request this after ${seconds} seconds.`);
}
