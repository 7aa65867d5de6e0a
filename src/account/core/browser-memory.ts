/**
 * What a browser remembers about earlier sign-ins: the accounts and how each one signed in. A cookie stores it. It only
 * affects what pages show and in which order, and grants no access.
 */
import { isRecord } from '../../shared/is-record.ts';
import type { CookieKind } from './cookies.ts';
import { isProviderId } from './providers.ts';

/** Browsers keep cookies for at most 400 days. */
export const memoryCookie: CookieKind = { name: 'plinth-account-known', maxAgeSeconds: 400 * 24 * 3600 };

/** The address of the sign-in in progress, which all windows of the browser share. */
export const addressCookie: CookieKind = { name: 'plinth-account-address', maxAgeSeconds: 3600 };

const ownMethods = ['password', 'code', 'passkey', 'sso', 'wallet', 'guest'] as const;
/** The way a user signed in: one of our methods, or the ID of an identity provider. */
export type SignInWay = (typeof ownMethods)[number] | (string & {});

export interface KnownAccount {
  /** The email address or the phone number. */
  readonly name: string;
  readonly way: SignInWay;
}

export interface BrowserMemory {
  /** The accounts, the last used one first. */
  readonly accounts: readonly KnownAccount[];
  /** The way that was used last, which may belong to an account without a name. */
  readonly last: SignInWay | undefined;
}

const maxAccounts = 5;
/** The longest address that auth accepts. */
const maxNameLength = 255;
const nothing: BrowserMemory = { accounts: [], last: undefined };

export function readMemory(value: string | undefined): BrowserMemory {
  const fields = parseRecord(value);
  if (fields === undefined) return nothing;
  const accounts = Array.isArray(fields.accounts) ? fields.accounts.flatMap(accountOf) : [];
  return { accounts: accounts.slice(0, maxAccounts), last: isWay(fields.last) ? fields.last : undefined };
}

/** Returns the cookie's value, or undefined if there is nothing to remember. */
export function writeMemory(memory: BrowserMemory): string | undefined {
  if (memory.accounts.length === 0 && memory.last === undefined) return undefined;
  return Buffer.from(JSON.stringify(memory)).toString('base64url');
}

/** Remembers a sign-in. An account without a name, such as a guest's, isn't listed. */
export function remember({ accounts }: BrowserMemory, { name, way }: KnownAccount): BrowserMemory {
  const others = accounts.filter((one) => !isSameName(one.name, name));
  const isNamed = name !== '' && name.length <= maxNameLength;
  const listed = isNamed ? [{ name, way }, ...others] : others;
  return { accounts: listed.slice(0, maxAccounts), last: way };
}

export function forget({ accounts, last }: BrowserMemory, name: string): BrowserMemory {
  const kept = accounts.filter((one) => !isSameName(one.name, name));
  return { accounts: kept, last: kept.length === 0 ? undefined : last };
}

/** Returns how the account with this name signed in last in this browser. */
export const wayOf = ({ accounts }: BrowserMemory, name: string): SignInWay | undefined =>
  accounts.find((one) => isSameName(one.name, name))?.way;

/**
 * Returns the way that a code or link stands for. After a sign-up or a password reset, the user has just chosen a
 * password, so the password is the way for the next sign-in.
 */
export const wayOfCode = (type: string): SignInWay =>
  ['signup', 'confirm', 'invite', 'recovery', 'recover'].includes(type) ? 'password' : 'code';

export const writeAddress = (address: string): string => Buffer.from(address).toString('base64url');

/** Parses the cookie of the sign-in in progress. */
export function readAddress(value: string | undefined): string | undefined {
  if (value === undefined || value.length > 2 * maxNameLength) return undefined;
  const address = Buffer.from(value, 'base64url').toString('utf8');
  return address === '' || address.length > maxNameLength || /\p{Cc}/u.test(address) ? undefined : address;
}

function accountOf(value: unknown): KnownAccount[] {
  if (!isRecord(value) || typeof value.name !== 'string' || !isWay(value.way)) return [];
  return value.name === '' || value.name.length > maxNameLength ? [] : [{ name: value.name, way: value.way }];
}

const isWay = (value: unknown): value is SignInWay =>
  typeof value === 'string' && ((ownMethods as readonly string[]).includes(value) || isProviderId(value));

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
