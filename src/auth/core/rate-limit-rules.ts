/** Rate limits per address and handler (the limits of GoTrue 2.196). */

/** A token bucket: `size` tokens, with a new one every `refillMs`. */
export interface Bucket {
  readonly size: number;
  readonly refillMs: number;
}

/** Every handler has separate buckets. */
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
  | 'saml_assertion'
  | 'oauth_register';

/** `[auth.rate_limit]` of config.toml. */
export interface RateLimitSettings {
  readonly anonymous_users: number;
  readonly token_refresh: number;
  readonly sign_in_sign_ups: number;
  readonly token_verifications: number;
  readonly web3: number;
}

/**
 * How far in the future a bucket can be full again. The slack covers concurrent requests that read the clock at
 * slightly different times and are counted in a different order.
 */
export function horizonMs({ size, refillMs }: Bucket): number {
  return size * refillMs + Math.min(1000, refillMs / 2);
}

const minuteMs = 60_000;
export const hourMs = 3_600_000;
const burst = 30;

/** Limits without a setting in the local stack. */
const mfaPerMinute = 15;
const passkeysPerFiveMinutes = 30;
const ssoPerFiveMinutes = 30;
const assertionsPerFiveMinutes = 15;
const clientsPerFiveMinutes = 10;

/** Undefined if no request is allowed. */
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
  }
}

/** Allows `count` requests per `perMs`, and `size` of them in a burst. */
export function bucket(count: number, perMs: number, size: number): Bucket | undefined {
  return count <= 0 ? undefined : { size, refillMs: perMs / count };
}

const perFiveMinutes = (count: number) => bucket(count, 5 * minuteMs, burst);

const networksOfSite = 8;

/** A site is one customer or many small ones, so its limit is higher than a network's. */
export function ruleOfSite({ size, refillMs }: Bucket): Bucket {
  return { size: size * networksOfSite, refillMs: refillMs / networksOfSite };
}
