/**
 * Limits the requests from each IP address to each handler, and the emails and text messages that the whole server
 * sends. A request counts toward the limit even if the database changes of its operation are rolled back.
 */

import { createHash } from 'node:crypto';
import { ageMs } from '../../../base/kernel/clock.ts';
import { networkOf, siteOf } from '../../../base/shared/network/network-of.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { authError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { consumePermission, deleteFullBuckets, findBucketFullAt } from './queries.ts';
import {
  type Bucket,
  bucket,
  bucketOf,
  changesOfUser,
  fullAtFrom,
  horizonMs,
  hourMs,
  invitationsOfRecipient,
  invitationsOfSender,
  type LimitedHandler,
  linksOfUser,
  ruleOfSite,
  tokensOfMachine,
} from './rules.ts';

/** The maximum number of security notices of the same kind that are sent to an account per hour. */
const noticesPerHour = 10;

/**
 * This duration is added to `forMs`, because two requests may be handled by servers whose clocks differ (see
 * `horizonMs`).
 */
const onceSlackMs = 1000;

const ruleOfOnce = (forMs: number): Bucket => ({ size: 1, refillMs: forMs + onceSlackMs });

export interface RateLimits {
  /**
   * Counts a request. Throws `over_request_rate_limit`. If limits per IP address are disabled, doesn't query the
   * database.
   */
  address(handler: LimitedHandler, ip: string, nowMs: number): Promise<void>;
  /**
   * Counts a change to a user's own account. `key` is the session's ID, or the user's ID if the caller has no session.
   * Applies only if limits per IP address are enabled. Throws `over_request_rate_limit`.
   */
  change(key: string, nowMs: number): Promise<void>;
  /**
   * Counts an identity that the user links. Applies only if limits per IP address are enabled. Throws
   * `over_request_rate_limit`.
   */
  link(userId: string, nowMs: number): Promise<void>;
  /**
   * Counts a token that a machine-to-machine client requests. Applies only if limits per IP address are enabled. Throws
   * `over_request_rate_limit`.
   */
  machineToken(clientId: string, nowMs: number): Promise<void>;
  /** Counts an invitation to an organization that a user sends. Throws `over_email_send_rate_limit`. */
  invitation(userId: string, nowMs: number): Promise<void>;
  /**
   * Counts an invitation that an address receives from any organization, so that users can't flood a mailbox. Throws
   * `over_email_send_rate_limit`.
   */
  invited(email: string, nowMs: number): Promise<void>;
  /** Counts an email. Throws `over_email_send_rate_limit`. */
  email(nowMs: number): Promise<void>;
  /**
   * Counts an emailed invitation to an organization. If autoconfirm disables the limit of emails, invitations have a
   * separate limit, because they are sent anyway. Throws `over_email_send_rate_limit`.
   */
  invitationEmail(nowMs: number): Promise<void>;
  /** Counts a text message with a code for a contact. Throws `over_sms_send_rate_limit`. */
  sms(nowMs: number): Promise<void>;
  /**
   * Counts a text message to a second factor toward the same limit. Autoconfirm doesn't disable the limit, because it
   * doesn't apply to factors, so the message is sent anyway. Throws `over_sms_send_rate_limit`.
   */
  factorSms(nowMs: number): Promise<void>;
  /**
   * Counts a security notice. Notices don't count toward the email limit, because otherwise an attacker could suppress
   * notices by requesting many codes. Returns false if the account has received too many notices of this kind.
   */
  notice(userId: string, kind: string, nowMs: number): Promise<boolean>;
  /**
   * Allows an action once per key during `forMs`. Returns true for the first call with a key, then false for at least
   * `forMs`.
   */
  once(key: string, forMs: number, nowMs: number): Promise<boolean>;
  /** Returns how many milliseconds of the `forMs` are left since the last call of {@link once} that returned true. */
  remainingMs(key: string, forMs: number, nowMs: number): Promise<number>;
  /** Deletes expired counts. */
  sweep(nowMs: number): Promise<void>;
}

export type LimitName = 'address' | 'account' | 'email' | 'sms';

/** The hourly limit of invitations of all users in projects that don't confirm addresses, unless `email_sent` is higher. */
const minInvitationsPerHour = 100;

/**
 * Creates the limits.
 *
 * @param settings returns the current settings
 * @param onLimited called when a request, an email or a text message is rejected because of a limit
 */
export function createRateLimits(
  buckets: Buckets,
  settings: () => Settings,
  onLimited: (limit: LimitName) => void = () => undefined,
): RateLimits {
  /** Counts a message. If the limit is reached, returns the milliseconds until another message is allowed. */
  const consumeHourly = async (key: string, count: number, nowMs: number): Promise<number | undefined> => {
    const rule = bucket(count, hourMs, count);
    if (rule === undefined) return hourMs;
    return (await buckets.take(key, rule, nowMs)) ? undefined : buckets.waitMs(key, rule, nowMs);
  };
  const consumeOfSite = async (handler: LimitedHandler, ip: string, rule: Bucket, nowMs: number) => {
    const site = siteOf(ip);
    return site === undefined || buckets.take(`${handler}:${site}`, ruleOfSite(rule), nowMs);
  };
  const consumeOfAccount = async (key: string, rule: Bucket, nowMs: number): Promise<void> => {
    if (!settings().limitsByAddress || (await buckets.take(key, rule, nowMs))) return;
    onLimited('account');
    throw authError('over_request_rate_limit', undefined, { retryAfterMs: rule.refillMs });
  };
  const consumeInvitation = async (key: string, rule: Bucket, nowMs: number): Promise<void> => {
    if (await buckets.take(key, rule, nowMs)) return;
    onLimited('email');
    const retryAfterMs = await buckets.waitMs(key, rule, nowMs);
    throw authError('over_email_send_rate_limit', undefined, { retryAfterMs });
  };
  const consumeText = async (nowMs: number): Promise<void> => {
    const retryAfterMs = await consumeHourly('sms', settings().hourly.sms, nowMs);
    if (retryAfterMs === undefined) return;
    onLimited('sms');
    throw authError('over_sms_send_rate_limit', undefined, { retryAfterMs });
  };
  const consumeEmail = async (key: string, perHour: number, nowMs: number): Promise<void> => {
    const retryAfterMs = await consumeHourly(key, perHour, nowMs);
    if (retryAfterMs === undefined) return;
    onLimited('email');
    throw authError('over_email_send_rate_limit', undefined, { retryAfterMs });
  };
  return {
    async address(handler, ip, nowMs) {
      const { limitsByAddress, config } = settings();
      if (!limitsByAddress) return;
      const rule = bucketOf(handler, config.rate_limit);
      const isAllowed =
        rule &&
        (await buckets.take(`${handler}:${networkOf(ip)}`, rule, nowMs)) &&
        (await consumeOfSite(handler, ip, rule, nowMs));
      if (isAllowed) return;
      onLimited('address');
      // Reports the longest possible wait, because computing the exact wait would require another query.
      throw authError('over_request_rate_limit', undefined, rule && { retryAfterMs: rule.refillMs });
    },
    change: (key, nowMs) => consumeOfAccount(`change:${key}`, changesOfUser, nowMs),
    link: (userId, nowMs) => consumeOfAccount(`link:${userId}`, linksOfUser, nowMs),
    machineToken: (clientId, nowMs) => consumeOfAccount(`machine_token:${clientId}`, tokensOfMachine, nowMs),
    invitation: (userId, nowMs) => consumeInvitation(`invitation:${userId}`, invitationsOfSender, nowMs),
    invited: (email, nowMs) => consumeInvitation(`invited:${hashOf(email)}`, invitationsOfRecipient, nowMs),
    async email(nowMs) {
      const { hourly, email: mail } = settings();
      // As in upstream, autoconfirm disables any limit other than 0.
      if (mail.autoconfirm && hourly.emails !== 0) return;
      await consumeEmail('emails', hourly.emails, nowMs);
    },
    async invitationEmail(nowMs) {
      const { hourly, email: mail } = settings();
      if (!mail.autoconfirm || hourly.emails === 0) return consumeEmail('emails', hourly.emails, nowMs);
      await consumeEmail('invitations', Math.max(hourly.emails, minInvitationsPerHour), nowMs);
    },
    async sms(nowMs) {
      if (!settings().phone.autoconfirm) await consumeText(nowMs);
    },
    factorSms: consumeText,
    async notice(userId, kind, nowMs) {
      if (settings().hourly.emails === 0) return false;
      return (await consumeHourly(`notice:${kind}:${userId}`, noticesPerHour, nowMs)) === undefined;
    },
    once: (key, forMs, nowMs) => buckets.take(key, ruleOfOnce(forMs), nowMs),
    remainingMs: (key, forMs, nowMs) => buckets.waitMs(key, ruleOfOnce(forMs), nowMs),
    sweep: (nowMs) => buckets.sweep(nowMs),
  };
}

/** Stores the token buckets of the limits. */
export interface Buckets {
  /** Takes one token. If no token is left, changes nothing and returns false. */
  take(key: string, rule: Bucket, nowMs: number): Promise<boolean>;
  /** Returns the number of milliseconds until a token is available. */
  waitMs(key: string, rule: Bucket, nowMs: number): Promise<number>;
  /** Deletes buckets that have refilled completely. */
  sweep(nowMs: number): Promise<void>;
}

/**
 * Stores buckets in the database, which all processes share. `db` must not be the connection of a request's
 * transaction.
 */
export function sharedBuckets(db: Queryable): Buckets {
  return {
    take: (key, rule, nowMs) => consumePermission(db, key, rule, nowMs),
    waitMs: async (key, rule, nowMs) => untilToken(await findBucketFullAt(db, key), rule, nowMs),
    sweep: (nowMs) => deleteFullBuckets(db, nowMs),
  };
}

/** Stores buckets in this process, for databases without Plinth's own tables. */
export function localBuckets(): Buckets {
  /** The time at which each bucket will be full again. See `consumePermission`. */
  const fullAtMs = new Map<string, number>();
  return {
    async take(key, rule, nowMs) {
      const next = fullAtFrom(fullAtMs.get(key), rule, nowMs) + rule.refillMs;
      if (next > nowMs + horizonMs(rule)) return false;
      fullAtMs.set(key, next);
      return true;
    },
    waitMs: async (key, rule, nowMs) => untilToken(fullAtMs.get(key), rule, nowMs),
    async sweep(nowMs) {
      for (const [key, full] of fullAtMs) if (full < nowMs) fullAtMs.delete(key);
    },
  };
}

const untilToken = (storedMs: number | undefined, rule: Bucket, nowMs: number): number =>
  Math.max(0, fullAtFrom(storedMs, rule, nowMs) + rule.refillMs - nowMs - horizonMs(rule));

/**
 * The maximum clock difference between two servers. A stored time that is further in the future was written before the
 * clock was set back.
 */
const serverSkewMs = 60_000;

/** Whether the last message was sent less than `minimumMs` ago. */
export const isPausing = (sentAtMs: number, minimumMs: number, nowMs: number): boolean =>
  ageMs(sentAtMs - serverSkewMs, nowMs) < minimumMs + serverSkewMs;

/** Throws an error with status 429 if the last message to this user was sent less than `minimumMs` ago. */
export function requirePause(
  sentAtMs: number | undefined,
  minimumMs: number,
  nowMs: number,
  code: 'over_email_send_rate_limit' | 'over_sms_send_rate_limit',
): void {
  if (sentAtMs === undefined || !isPausing(sentAtMs, minimumMs, nowMs)) return;
  const retryAfterMs = sentAtMs + minimumMs - nowMs;
  const seconds = Math.trunc(retryAfterMs / 1000);
  throw authError(code, `For security purposes, you can only request this after ${seconds} seconds.`, {
    retryAfterMs,
  });
}

/** Returns a key that doesn't contain the address. */
const hashOf = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('base64url').slice(0, 32);
