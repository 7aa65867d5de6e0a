/**
 * Writes and reads the state of a round trip to an identity provider. The state is stored in a cookie that scripts
 * can't read. The PKCE verifier (RFC 7636) in the cookie binds the provider's response to this browser.
 */
import { createHash } from 'node:crypto';
import type { CookieKind } from './cookies.ts';

/** This duration is longer than five minutes, after which the auth service abandons a sign-in. */
export const journeyCookie: CookieKind = { name: 'plinth-account-way', maxAgeSeconds: 600 };
/** A longer query isn't stored in the cookie, because browsers limit cookies to 4096 bytes. */
const maxFlowChars = 2048;

export interface Journey {
  readonly verifier: string;
  /** The purpose `sign-in` signs the user in, and `link` adds an identity to the signed-in account. */
  readonly purpose: 'sign-in' | 'link';
  /** The provider's ID, or `sso`. */
  readonly way: string;
  /** The query parameters of the sign-in page, which are restored after the redirect (`carriedFlow`). */
  readonly flow: string;
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Returns the cookie's value. */
export function writeJourney({ verifier, purpose, way, flow }: Journey): string {
  const kept = { verifier, purpose, way, flow: flow.length > maxFlowChars ? '' : flow };
  return Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Parses the cookie's value. Returns undefined for values that {@link writeJourney} didn't write. */
export function readJourney(value: string | undefined): Journey | undefined {
  if (value === undefined || !/^[A-Za-z0-9_-]+$/.test(value)) return undefined;
  try {
    const read = JSON.parse(Buffer.from(value, 'base64url').toString('utf8')) as Partial<Journey> | null;
    if (typeof read?.verifier !== 'string' || typeof read.flow !== 'string') return undefined;
    if (read.purpose !== 'sign-in' && read.purpose !== 'link') return undefined;
    if (typeof read.way !== 'string') return undefined;
    return { verifier: read.verifier, purpose: read.purpose, way: read.way, flow: read.flow };
  } catch {
    return undefined;
  }
}
