/**
 * Defines the rules of the limits: token buckets, the rate limits per IP address and handler (the same as in GoTrue
 * 2.196), and the increasing waits after consecutive wrong attempts to enter a secret.
 */

/** A token bucket, which contains up to `size` tokens and receives a new token every `refillMs`. */
export interface Bucket {
  readonly size: number;
  readonly refillMs: number;
}

/** A kind of request with a rate limit. Each handler has separate buckets. */
export type LimitedHandler =
  | 'signup'
  | 'anonymous'
  | 'otp'
  | 'magiclink'
  | 'recover'
  | 'resend'
  | 'user'
  | 'token'
  | 'web3'
  | 'verify'
  | 'factor_challenge'
  | 'factor_verify'
  | 'passkey'
  | 'sso'
  | 'sso_policy'
  | 'new_address'
  | 'saml_assertion'
  | 'oauth_register'
  | 'authorize'
  | 'scim';

/** The settings in `[auth.rate_limit]` of config.toml. */
export interface RateLimitSettings {
  readonly anonymous_users: number;
  readonly token_refresh: number;
  readonly sign_in_sign_ups: number;
  readonly token_verifications: number;
  readonly web3: number;
}

/**
 * Returns the maximum time until a bucket is full again, plus a margin. The margin is needed because concurrent
 * requests may read the clock at slightly different times and may be counted in a different order.
 */
export function horizonMs({ size, refillMs }: Bucket): number {
  return size * refillMs + Math.min(1000, refillMs / 2);
}

/** This duration is larger than the difference between the clocks of any two servers. */
const serverSkewMs = 60_000;

/**
 * Returns the maximum duration until a bucket is full. If the stored time is further in the future, it was written
 * before the clock was set back, so the bucket counts as full. Otherwise, requests would be rejected until the clock
 * reached that time.
 */
export const staleAfterMs = (rule: Bucket): number => horizonMs(rule) + serverSkewMs;

/** Returns the time at which a bucket will be full, or `nowMs` if the bucket is already full. */
export const fullAtFrom = (storedMs: number | undefined, rule: Bucket, nowMs: number): number =>
  storedMs === undefined || storedMs > nowMs + staleAfterMs(rule) ? nowMs : Math.max(storedMs, nowMs);

const minuteMs = 60_000;
export const hourMs = 3_600_000;
const burst = 30;

/** Upstream's local stack has no settings for these limits. */
const mfaPerMinute = 15;
const passkeysPerFiveMinutes = 30;
const ssoPerFiveMinutes = 30;
const assertionsPerFiveMinutes = 15;
const clientsPerFiveMinutes = 10;
/**
 * The limit for sign-ins with external providers and for requests from OAuth clients. Many users can start such
 * sign-ins and requests from the same network.
 */
const authorizationsPerFiveMinutes = 300;
const authorizationBurst = 100;

/** Entra ID sends up to 25 SCIM requests per second for each organization, all from the same networks. */
const scimPerMinute = 3000;

/** The interval at which users can change their accounts after a burst of changes. */
const changeEveryMs = 5000;
export const changesOfUser: Bucket = { size: burst, refillMs: changeEveryMs };

const maxLinksAtOnce = 10;
/** The interval at which users can link identities after a burst. */
const linkEveryMs = 60_000;
export const linksOfUser: Bucket = { size: maxLinksAtOnce, refillMs: linkEveryMs };

const maxMachineTokensAtOnce = 60;
/** The interval at which a machine-to-machine client can request tokens after a burst. */
const machineTokenEveryMs = 2000;
export const tokensOfMachine: Bucket = { size: maxMachineTokensAtOnce, refillMs: machineTokenEveryMs };

const maxInvitationsAtOnce = 50;
/** The interval at which users can email invitations to organizations after a burst. */
const invitationEveryMs = 120_000;
export const invitationsOfSender: Bucket = { size: maxInvitationsAtOnce, refillMs: invitationEveryMs };

const maxInvitationsReceivedAtOnce = 5;
/** The interval at which an address receives invitations to organizations after a burst. */
const invitationReceivedEveryMs = 14_400_000;
export const invitationsOfRecipient: Bucket = {
  size: maxInvitationsReceivedAtOnce,
  refillMs: invitationReceivedEveryMs,
};

/** Returns the bucket for requests to a handler, or undefined if no requests are allowed. */
export function bucketOf(handler: LimitedHandler, settings: RateLimitSettings): Bucket | undefined {
  switch (handler) {
    case 'anonymous':
      return bucket(settings.anonymous_users, hourMs, settings.anonymous_users);
    case 'signup':
    case 'otp':
    case 'magiclink':
    case 'recover':
    case 'resend':
    case 'user':
      return perFiveMinutes(settings.sign_in_sign_ups);
    case 'token':
    // Before each sign-in with a password, the Account pages look up the domain of the address and, unless the project
    // conceals accounts, the address.
    case 'sso_policy':
    case 'new_address':
      return perFiveMinutes(settings.token_refresh);
    case 'web3':
      return perFiveMinutes(settings.web3);
    case 'verify':
      return perFiveMinutes(settings.token_verifications);
    case 'factor_challenge':
    case 'factor_verify':
      return bucket(mfaPerMinute, minuteMs, burst);
    case 'passkey':
      return perFiveMinutes(passkeysPerFiveMinutes);
    case 'sso':
      return perFiveMinutes(ssoPerFiveMinutes);
    case 'saml_assertion':
      return perFiveMinutes(assertionsPerFiveMinutes);
    case 'oauth_register':
      return perFiveMinutes(clientsPerFiveMinutes);
    case 'authorize':
      return bucket(authorizationsPerFiveMinutes, 5 * minuteMs, authorizationBurst);
    case 'scim':
      return bucket(scimPerMinute, minuteMs, scimPerMinute);
  }
}

/** Returns a bucket that allows `count` requests per `perMs`, and bursts of `size` requests. */
export function bucket(count: number, perMs: number, size: number): Bucket | undefined {
  return count <= 0 ? undefined : { size, refillMs: perMs / count };
}

const perFiveMinutes = (count: number) => bucket(count, 5 * minuteMs, burst);

const networksOfSite = 8;

/**
 * Returns the common limit for all networks in one IPv6 /48 prefix. The prefix can belong to a single customer or to
 * many customers, so the limit is higher than the limit for a single network.
 */
export function ruleOfSite({ size, refillMs }: Bucket): Bucket {
  return { size: size * networksOfSite, refillMs: refillMs / networksOfSite };
}

export interface LockoutRules {
  /** The number of consecutive wrong attempts that causes the first wait. The value 0 disables the waits. */
  readonly after: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

export interface Streak {
  readonly failures: number;
  readonly lastAtMs: number;
}

/** A streak of wrong attempts ends if no attempt is made for this duration. */
export const streakMemoryMs = 24 * 3_600_000;

/** Returns how long the next attempt must wait. The wait doubles with every wrong attempt. */
export function lockoutWaitMs(streak: Streak | undefined, rules: LockoutRules, nowMs: number): number {
  if (streak === undefined || rules.after === 0 || streak.failures < rules.after) return 0;
  const wait = Math.min(
    rules.maxWaitMs,
    rules.firstWaitMs * 2 ** Math.min(30, streak.failures - rules.after),
  );
  // The wait is limited, because the clock may have been set back since the last attempt.
  return Math.min(wait, Math.max(0, streak.lastAtMs + wait - nowMs));
}

/** The budget of attempts to enter a secret. */
export interface Budget {
  readonly key: string;
  readonly rule: Bucket;
}

/** A streak that the next attempt extends unless the streak's wait applies. */
export interface StreakClaim {
  readonly key: string;
  readonly rules: LockoutRules;
}

/** A streak after an attempt has extended it. */
export interface ExtendedStreak {
  readonly key: string;
  readonly failures: number;
  /** The time of the attempt. */
  readonly atMs: number;
  /** The time of the attempt before this one. Undefined if there was none. */
  readonly previousAtMs: number | undefined;
}

export type Reservation =
  /** The attempt was taken from the budget and has extended the streak, if there is one. */
  | { readonly kind: 'reserved'; readonly streak: ExtendedStreak | undefined }
  /** The attempt has extended the streak, but the budget has no attempts left. */
  | { readonly kind: 'used_up'; readonly streak: ExtendedStreak | undefined }
  /** The streak's wait applies, and nothing has changed. */
  | { readonly kind: 'paused' };
