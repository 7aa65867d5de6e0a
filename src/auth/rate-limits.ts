/**
 * Rate limits per address and handler, and server-wide limits on emails and text messages. A count survives the
 * rollback of the operation that it allowed.
 */

import { networkOf, siteOf } from '../shared/network-of.ts';
import type { Buckets } from './buckets.ts';
import {
  type Bucket,
  bucket,
  bucketOf,
  hourMs,
  type LimitedHandler,
  ruleOfSite,
} from './core/rate-limit-rules.ts';
import { authError } from './errors.ts';
import type { Settings } from './settings.ts';

/** A duration longer than the clock skew between two requests (`horizonMs`). */
const onceSlackMs = 1000;

export interface RateLimits {
  /** Throws `over_request_rate_limit`. Runs no statement if addresses aren't limited. */
  address(handler: LimitedHandler, ip: string, nowMs: number): Promise<void>;
  /** Throws `over_email_send_rate_limit`. */
  email(nowMs: number): Promise<void>;
  /** Throws `over_sms_send_rate_limit`. */
  sms(nowMs: number): Promise<void>;
  /** Returns true for the first call with a key, then false for at least `forMs`. */
  once(key: string, forMs: number, nowMs: number): Promise<boolean>;
  /** Deletes expired counts. */
  sweep(nowMs: number): Promise<void>;
}

export function createRateLimits(buckets: Buckets, settings: Settings): RateLimits {
  const { hourly, email, phone } = settings;
  const takeHourly = async (key: string, count: number, nowMs: number): Promise<boolean> => {
    const rule = bucket(count, hourMs, count);
    return rule !== undefined && buckets.take(key, rule, nowMs);
  };
  const takeOfSite = async (handler: LimitedHandler, ip: string, rule: Bucket, nowMs: number) => {
    const site = siteOf(ip);
    return site === undefined || buckets.take(`${handler}:${site}`, ruleOfSite(rule), nowMs);
  };
  return {
    async address(handler, ip, nowMs) {
      if (!settings.limitsByAddress) return;
      const rule = bucketOf(handler, settings.config.rate_limit);
      const isAllowed =
        rule &&
        (await buckets.take(`${handler}:${networkOf(ip)}`, rule, nowMs)) &&
        (await takeOfSite(handler, ip, rule, nowMs));
      if (!isAllowed) throw authError('over_request_rate_limit');
    },
    async email(nowMs) {
      // With autoconfirm, only a limit of 0 applies, as in upstream.
      const isOver =
        hourly.emails === 0 || (!email.autoconfirm && !(await takeHourly('emails', hourly.emails, nowMs)));
      if (isOver) throw authError('over_email_send_rate_limit');
    },
    async sms(nowMs) {
      if (!phone.autoconfirm && !(await takeHourly('sms', hourly.sms, nowMs))) {
        throw authError('over_sms_send_rate_limit');
      }
    },
    once: (key, forMs, nowMs) => buckets.take(key, { size: 1, refillMs: forMs + onceSlackMs }, nowMs),
    sweep: (nowMs) => buckets.sweep(nowMs),
  };
}

/** Throws 429 if the last message to this user was sent less than `minimumMs` ago. */
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
