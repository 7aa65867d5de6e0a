/** How often an address may call which handler (the limits of GoTrue 2.196), and what counts as one address. */
import { isIPv4, isIPv6 } from 'node:net';

/** `size` permissions at once, one more every `refillMs`. */
export interface Bucket {
  readonly size: number;
  readonly refillMs: number;
}

/** Every handler has buckets of its own. */
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
 * How far ahead of now a bucket may be full again. Requests that come at once have read the clock a little apart, and the
 * one that read it first may count last: that costs none of them its permission.
 */
export function horizonMs({ size, refillMs }: Bucket): number {
  return size * refillMs + Math.min(1000, refillMs / 2);
}

const minuteMs = 60_000;
export const hourMs = 3_600_000;
const burst = 30;

/** Those no setting of the local stack names. */
const mfaPerMinute = 15;
const passkeysPerFiveMinutes = 30;
const ssoPerFiveMinutes = 30;
const assertionsPerFiveMinutes = 15;
const clientsPerFiveMinutes = 10;

/** Undefined: nothing is allowed. */
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

/** `count` in `perMs`, of which `size` may come at once. */
export function bucket(count: number, perMs: number, size: number): Bucket | undefined {
  return count <= 0 ? undefined : { size, refillMs: perMs / count };
}

const perFiveMinutes = (count: number) => bucket(count, 5 * minuteMs, burst);

/**
 * The part of an address that one customer of a network has: all of IPv4, of IPv6 the first 64 bits (RFC 6177), since
 * the rest is theirs to change with every request.
 *
 * @example networkOf('2001:db8::1') // '2001:db8:0:0::/64'
 */
export function networkOf(address: string): string {
  const groups = ipv6Groups(address);
  return groups === undefined ? bareIPv4(address) : `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * The part of an IPv6 address that one site may have: 48 bits (RFC 6177), which are 65,536 networks. Undefined for IPv4.
 *
 * @example siteOf('2001:db8::1') // '2001:db8:0::/48'
 */
export function siteOf(address: string): string | undefined {
  const groups = ipv6Groups(address);
  return groups && `${groups.slice(0, 3).join(':')}::/48`;
}

const networksOfSite = 8;

/** A site is one customer or many small ones, so it may do more than one network. */
export function ruleOfSite({ size, refillMs }: Bucket): Bucket {
  return { size: size * networksOfSite, refillMs: refillMs / networksOfSite };
}

function bareIPv4(address: string): string {
  const bare = address.split('%', 1)[0] ?? '';
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare;
}

/** Undefined for IPv4, also where it is written as IPv6, and for text that is no address. */
function ipv6Groups(address: string): string[] | undefined {
  const bare = address.split('%', 1)[0] ?? '';
  if (isIPv4(bareIPv4(address)) || !isIPv6(bare)) return undefined;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    // An IPv4 address at the end stands for two groups.
    const length = after.length + (after.at(-1)?.includes('.') ? 1 : 0);
    groups.push(...Array<string>(8 - groups.length - length).fill('0'), ...after);
  }
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
}
