/**
 * Reads and writes a cookie that stores the accounts that were used to sign in with this browser, and each account's
 * sign-in method. The cookie affects only which content pages show and in what order. It doesn't grant access.
 */
import { isRecord } from '../../../base/shared/json.ts';
import type { CookieKind } from './cookies.ts';
import { isProviderId } from './providers.ts';

/** Browsers keep cookies for at most 400 days. */
export const memoryCookie: CookieKind = { name: 'plinth-account-known', maxAgeSeconds: 400 * 24 * 3600 };

/**
 * Stores the email address or phone number with which the user is signing in. All windows of the browser share this
 * cookie.
 */
export const addressCookie: CookieKind = { name: 'plinth-account-address', maxAgeSeconds: 3600 };

const ownMethods = ['password', 'code', 'passkey', 'sso', 'wallet', 'guest'] as const;
/** The sign-in method, which is one of Plinth's own methods or an identity provider's ID. */
export type SignInWay = (typeof ownMethods)[number] | (string & {});

export interface KnownAccount {
  /** The email address or the phone number. */
  readonly name: string;
  readonly way: SignInWay;
}

export interface BrowserMemory {
  /** The accounts, most recently used first. */
  readonly accounts: readonly KnownAccount[];
  /** The sign-in method that was used most recently, possibly with an account that doesn't have a name. */
  readonly last: SignInWay | undefined;
  /**
   * The account for which the user entered the correct password but must still enter a code, because the browser is
   * new.
   */
  readonly confirming?: string | undefined;
  /**
   * The names of the accounts that were signed out most recently. The page after the sign-out offers to remove these
   * accounts.
   */
  readonly left?: readonly string[] | undefined;
}

const maxAccounts = 5;
/** The maximum length of an address that the auth service accepts. */
const maxNameLength = 255;
const nothing: BrowserMemory = { accounts: [], last: undefined };

export function readMemory(value: string | undefined): BrowserMemory {
  const fields = parseRecord(value);
  if (fields === undefined) return nothing;
  const accounts = Array.isArray(fields.accounts) ? fields.accounts.flatMap(accountOf) : [];
  return {
    accounts: accounts.slice(0, maxAccounts),
    last: isWay(fields.last) ? fields.last : undefined,
    confirming: isName(fields.confirming) ? fields.confirming : undefined,
    left: Array.isArray(fields.left) ? fields.left.filter(isName).slice(0, maxAccounts) : undefined,
  };
}

/** Returns the cookie's value, or undefined if the browser doesn't need the cookie. */
export function writeMemory(memory: BrowserMemory): string | undefined {
  const { accounts, last, confirming } = memory;
  if (accounts.length === 0 && last === undefined && confirming === undefined) return undefined;
  return Buffer.from(JSON.stringify(memory)).toString('base64url');
}

/**
 * Records a sign-in. An account without a name, such as a guest's, isn't listed. If a code confirmed a new browser,
 * records the password as the sign-in method.
 */
export function remember(
  { accounts, confirming }: BrowserMemory,
  { name, way: given }: KnownAccount,
): BrowserMemory {
  const isConfirmed = given === 'code' && confirming !== undefined && isSameName(confirming, name);
  const way = isConfirmed ? 'password' : given;
  const others = accounts.filter((one) => !isSameName(one.name, name));
  const isNamed = name !== '' && name.length <= maxNameLength;
  const listed = isNamed ? [{ name, way }, ...others] : others;
  return { accounts: listed.slice(0, maxAccounts), last: way };
}

/**
 * Replaces the sign-in method of an account whose provider was unlinked. Otherwise, the page would suggest the
 * provider, and signing in with the provider could link it again. `linked` contains the providers that are still linked
 * to the account.
 */
export function replaceUnlinked(
  memory: BrowserMemory,
  { name, linked, hasPassword }: { name: string; linked: readonly string[]; hasPassword: boolean },
): BrowserMemory {
  const way = wayOf(memory, name);
  if (way === undefined || isOwnMethod(way) || linked.includes(way)) return memory;
  return remember(memory, { name, way: hasPassword ? 'password' : 'code' });
}

export function forget({ accounts, last }: BrowserMemory, name: string): BrowserMemory {
  const kept = accounts.filter((one) => !isSameName(one.name, name));
  return { accounts: kept, last: kept.length === 0 ? undefined : last };
}

/** Returns the names of the most recently signed-out accounts that are still in the list. */
export const leftAccounts = ({ accounts, left = [] }: BrowserMemory): readonly string[] =>
  accounts.map(({ name }) => name).filter((name) => left.some((one) => isSameName(one, name)));

/** Removes the most recently signed-out accounts. */
export const forgetLeft = (memory: BrowserMemory): BrowserMemory =>
  leftAccounts(memory).reduce<BrowserMemory>(forget, memory);

/** Returns this account's most recent sign-in method in this browser. */
export const wayOf = ({ accounts }: BrowserMemory, name: string): SignInWay | undefined =>
  accounts.find((one) => isSameName(one.name, name))?.way;

/**
 * Returns the sign-in method to record after the user has used a code or link. After a sign-up or a password reset, the
 * method is the password, because the user has just chosen one.
 */
export const wayOfCode = (type: string): SignInWay =>
  ['signup', 'confirm', 'invite', 'recovery', 'recover'].includes(type) ? 'password' : 'code';

export const writeAddress = (address: string): string => Buffer.from(address).toString('base64url');

/** Parses the cookie that stores the address with which the user is signing in. */
export function readAddress(value: string | undefined): string | undefined {
  if (value === undefined || value.length > 2 * maxNameLength) return undefined;
  const address = Buffer.from(value, 'base64url').toString('utf8');
  return address === '' || address.length > maxNameLength || /\p{Cc}/u.test(address) ? undefined : address;
}

function accountOf(value: unknown): KnownAccount[] {
  if (!isRecord(value) || !isName(value.name) || !isWay(value.way)) return [];
  return [{ name: value.name, way: value.way }];
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength;

const isWay = (value: unknown): value is SignInWay =>
  typeof value === 'string' && (isOwnMethod(value) || isProviderId(value));

/** Whether the sign-in method is one of Plinth's own methods, and not an identity provider. */
export const isOwnMethod = (way: string): boolean => (ownMethods as readonly string[]).includes(way);

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function parseRecord(value: string | undefined): Record<string, unknown> | undefined {
  if (value === undefined || value.length > 4096) return undefined;
  try {
    const fields: unknown = JSON.parse(Buffer.from(value, 'base64url').toString('utf8'));
    return isRecord(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
