/**
 * Limits on how often: of one address to one handler, and of the whole server on what costs money. Counted in the
 * database, where several processes share them, on connections that no transaction of this service holds: a count
 * outlives the rollback of what it allowed.
 */
import type { Queryable } from '../database/types.ts';
import { bucket, bucketOf, hourMs, type LimitedHandler, networkOf } from './core/rate-limit-rules.ts';
import { authError } from './errors.ts';
import { deleteFullBuckets, takePermission } from './queries/rate-limits.ts';
import type { Settings } from './settings.ts';

/** Attempts of one user with recovery codes: five at once, then one in five minutes. */
const recoveryCodeAttempts = { size: 5, refillMs: 300_000 };

export interface RateLimits {
  /** Throws `over_request_rate_limit`. No statement where addresses are not limited. */
  address(handler: LimitedHandler, ip: string, nowMs: number): Promise<void>;
  /** Throws `over_email_send_rate_limit`. */
  email(nowMs: number): Promise<void>;
  /** Throws `over_sms_send_rate_limit`. */
  sms(nowMs: number): Promise<void>;
  /** Throws `over_request_rate_limit`. Everywhere, and counts right codes too: who guesses shows. */
  recoveryCode(userId: string, nowMs: number): Promise<void>;
  /** True the first time; then false for at least `forMs`. */
  once(key: string, forMs: number, nowMs: number): Promise<boolean>;
  /** Forgets what no longer counts. */
  sweep(nowMs: number): Promise<void>;
}

export function createRateLimits(db: Queryable, settings: Settings): RateLimits {
  const { hourly, email, phone } = settings;
  const takeHourly = async (key: string, count: number, nowMs: number): Promise<boolean> => {
    const rule = bucket(count, hourMs, count);
    return rule !== undefined && takePermission(db, key, rule, nowMs);
  };
  return {
    async address(handler, ip, nowMs) {
      if (!settings.limitsByAddress) return;
      const rule = bucketOf(handler, settings.config.rate_limit);
      const isAllowed = rule && (await takePermission(db, `${handler}:${networkOf(ip)}`, rule, nowMs));
      if (!isAllowed) throw authError('over_request_rate_limit');
    },
    async email(nowMs) {
      // Under autoconfirm only a limit of 0 counts, as upstream.
      const isOver =
        hourly.emails === 0 || (!email.autoconfirm && !(await takeHourly('emails', hourly.emails, nowMs)));
      if (isOver) throw authError('over_email_send_rate_limit');
    },
    async sms(nowMs) {
      if (!phone.autoconfirm && !(await takeHourly('sms', hourly.sms, nowMs))) {
        throw authError('over_sms_send_rate_limit');
      }
    },
    async recoveryCode(userId, nowMs) {
      if (!(await takePermission(db, `recovery_code:${userId}`, recoveryCodeAttempts, nowMs))) {
        throw authError('over_request_rate_limit');
      }
    },
    once: (key, forMs, nowMs) => takePermission(db, key, { size: 1, refillMs: forMs }, nowMs),
    sweep: (nowMs) => deleteFullBuckets(db, nowMs),
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
