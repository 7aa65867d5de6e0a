/**
 * A way out to an identity provider and back: what the browser keeps meanwhile, in a cookie that no script reads. The
 * PKCE verifier (RFC 7636) in it ties the answer to the browser that left.
 */
import { createHash } from 'node:crypto';
import type { CookieKind } from './cookies.ts';

/** Auth gives up a sign-in after five minutes as well; a person may take a little longer to read. */
export const journeyCookie: CookieKind = { name: 'plinth-account-way', maxAgeSeconds: 600 };
/** Browsers keep cookies of 4096 bytes. */
const maxFlowChars = 2048;

export interface Journey {
  readonly verifier: string;
  /** `link`: an identity for the account that is signed in already. */
  readonly purpose: 'sign-in' | 'link';
  /** What brought somebody here (`carriedFlow`). */
  readonly flow: string;
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** The value of the cookie. */
export function writeJourney({ verifier, purpose, flow }: Journey): string {
  const kept = { verifier, purpose, flow: flow.length > maxFlowChars ? '' : flow };
  return Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Undefined for what {@link writeJourney} has not written. */
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
