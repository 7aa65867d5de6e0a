/**
 * Verifies access tokens in the browser with WebCrypto.
 *
 * Tokens signed with an asymmetric key are verified against the public JWKS. Tokens signed with the project's shared
 * secret (HS256) can't be verified that way, because the public JWKS never contains an `oct` key. For those tokens, the
 * page sends a request to the service (`confirm`, which calls GET /auth/v1/user), as the stock client does. Without
 * `confirm`, such a token is rejected. If a key set does contain an `oct` key (a private key set, in tests or on a
 * server), the key is used like any other key.
 *
 * This code adds 1.6 KB (gzip) to the first load, whereas the jose library would add 7.5 KB ([decision
 * 44](../../../docs/decisions/0044-shared-and-libraries.md)).
 */
import { type Algorithm, algorithmNamed } from './algorithms.ts';
import { SessionFault } from './faults.ts';
import type { Jwk, KeySource } from './jwks.ts';

export interface AccessClaims {
  readonly sub?: string;
  readonly exp: number;
  readonly role?: string;
  readonly aal?: string;
  readonly session_id?: string;
  /** The methods with which the user signed in, and the time of each sign-in (in seconds since the epoch). */
  readonly amr?: readonly { readonly method: string; readonly timestamp: number }[];
  readonly is_anonymous?: boolean;
  /** The organization that the session has switched to. */
  readonly org_id?: string;
  readonly [claim: string]: unknown;
}

export interface VerifyOptions {
  readonly keys: KeySource;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns whether the token is valid according to the auth service. */
  readonly confirm?: (token: string) => Promise<boolean>;
}

/** Verifies an access token and returns its claims. @throws {SessionFault} with one of the seven messages. */
export async function verifyAccessToken(token: string, options: VerifyOptions): Promise<AccessClaims> {
  const [headerPart = '', payloadPart = '', signaturePart = ''] = token.split('.');
  const header = parseObject(headerPart);
  const algorithm = algorithmNamed(header?.alg);
  if (header === undefined || algorithm === undefined) throw new SessionFault('bad_algorithm');
  const claims = parseObject(payloadPart);
  if (claims === undefined || typeof claims.exp !== 'number') throw new SessionFault('missing_exp');
  if (claims.exp * 1000 <= options.now()) throw new SessionFault('expired');
  const kid = typeof header.kid === 'string' ? header.kid : undefined;
  const valid = await isSigned({ token, headerPart, payloadPart, signaturePart, kid, algorithm }, options);
  if (!valid) throw new SessionFault('bad_signature');
  return claims as AccessClaims;
}

interface Signed {
  readonly token: string;
  readonly headerPart: string;
  readonly payloadPart: string;
  readonly signaturePart: string;
  readonly kid: string | undefined;
  readonly algorithm: Algorithm;
}

async function isSigned(signed: Signed, { keys, confirm }: VerifyOptions): Promise<boolean> {
  const { algorithm, kid } = signed;
  if (algorithm.keyType === 'oct' && confirm !== undefined) return confirm(signed.token);
  const signature = decode(signed.signaturePart);
  const candidates = (await keys.find(kid, algorithm.keyType)).filter((key) => fits(key, algorithm));
  if (candidates.length === 0) throw new SessionFault('no_matching_key');
  if (signature === undefined) return false;
  const data = new TextEncoder().encode(`${signed.headerPart}.${signed.payloadPart}`);
  for (const candidate of candidates) {
    if (await isSignedBy(candidate, algorithm, signature, data)) return true;
  }
  return false;
}

function fits(key: Jwk, algorithm: Algorithm): boolean {
  return algorithm.curve === undefined || key.crv === algorithm.curve;
}

async function isSignedBy(
  key: Jwk,
  algorithm: Algorithm,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  // Only the parameters that define the key are imported, because `use`, `alg` and `key_ops` in a key set are often
  // wrong.
  const { kty, crv, x, y, n, e, k } = key;
  const imported = await crypto.subtle.importKey(
    'jwk',
    { kty, crv, x, y, n, e, k },
    algorithm.importAs,
    false,
    ['verify'],
  );
  return crypto.subtle.verify(algorithm.verifyAs, imported, signature, data);
}

/** Decodes base64url without padding. Returns undefined for any other text. */
function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === '' || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function parseObject(part: string): Record<string, unknown> | undefined {
  const bytes = decode(part);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
