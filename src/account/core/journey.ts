/**
 * A round trip to an identity provider. The browser keeps its state in a cookie that no script can read. The PKCE
 * verifier (RFC 7636) in the cookie binds the response to this browser.
 */
import { createHash } from 'node:crypto';
import type { CookieKind } from './cookies.ts';

/** Auth abandons a sign-in after five minutes. The cookie lasts a little longer. */
export const journeyCookie: CookieKind = { name: 'plinth-account-way', maxAgeSeconds: 600 };
/** Browsers limit cookies to 4096 bytes. */
const maxFlowChars = 2048;

export interface Journey {
  readonly verifier: string;
  /** `link` adds an identity to the signed-in account. */
  readonly purpose: 'sign-in' | 'link';
  /** The query of the flow (`carriedFlow`). */
  readonly flow: string;
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Returns the value of the cookie. */
export function writeJourney({ verifier, purpose, flow }: Journey): string {
  const kept = { verifier, purpose, flow: flow.length > maxFlowChars ? '' : flow };
  return Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Returns undefined for a value that {@link writeJourney} didn't write. */
export function readJourney(value: string | undefined): Journey | undefined {
  if (value === undefined || !/^[A-Za-z0-9_-]+$/.test(value)) return undefined;
  try {
    const read = JSON.parse(Buffer.from(value, 'base64url').toString('utf8')) as Partial<Journey> | null;
    if (typeof read?.verifier !== 'string' || typeof read.flow !== 'string') return undefined;
    if (read.purpose !== 'sign-in' && read.purpose !== 'link') return undefined;
    return { verifier: read.verifier, purpose: read.purpose, flow: read.flow };
  } catch {
    return undefined;
  }
}
