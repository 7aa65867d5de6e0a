/**
 * Checks the claims of bearer tokens, and creates and reads those of signed URL tokens. A signed URL token specifies one
 * object, one action and an expiry time. Older servers issued signed URL tokens without `scope`. A token without `scope`
 * is an upload token if it contains `upsert`.
 */

import { createHash } from 'node:crypto';
import type { Claims, VerifiedToken } from '../../../platform/keys/types.ts';

type TokenCheck = { readonly claims: Readonly<Claims> } | { readonly refusal: string };

/**
 * Checks the time claims of a token whose signature the shared verifier has checked. The error messages are those of the
 * JWT library that upstream uses (jose).
 */
export function checkToken(token: VerifiedToken, nowMs: number): TokenCheck {
  if (!token.ok) return { refusal: rejectionOf(token) };
  const nowSeconds = Math.floor(nowMs / 1000);
  const { exp, nbf } = token.claims;
  if (nbf !== undefined) {
    if (typeof nbf !== 'number') return { refusal: '"nbf" claim must be a number' };
    if (nbf > nowSeconds) return { refusal: '"nbf" claim timestamp check failed' };
  }
  if (exp !== undefined) {
    if (typeof exp !== 'number') return { refusal: '"exp" claim must be a number' };
    if (exp <= nowSeconds) return { refusal: '"exp" claim timestamp check failed' };
  }
  return { claims: token.claims };
}

function rejectionOf(token: VerifiedToken & { ok: false }): string {
  switch (token.reason) {
    case 'malformed':
      return token.parts === 3 ? 'JWS Protected Header is invalid' : 'Invalid Compact JWS';
    case 'algorithm':
      return token.algorithm === undefined
        ? 'JWS "alg" (Algorithm) Header Parameter missing or invalid'
        : '"alg" (Algorithm) Header Parameter value not allowed';
    case 'no-key':
    case 'signature':
      return 'signature verification failed';
    case 'kind':
      return 'unexpected "typ" JWT header value';
  }
}

export type SignedScope = 'download' | 'upload';

export interface SignedClaims {
  /** The object in the form `bucket/key`. */
  readonly url: string;
  readonly scope: SignedScope;
  readonly upsert: boolean;
  readonly owner: string | undefined;
  /** The options of the image transformation (`transform.ts`). Empty if the link refers to the original object. */
  readonly transformations: string;
  /**
   * The marks of the object to which the link is bound ({@link marksOf}). If the marks are undefined, the link applies
   * to every object with this key.
   */
  readonly objects: readonly string[] | undefined;
  /** The time at which the token expires, in seconds since the epoch. */
  readonly exp: number;
}

/**
 * Returns the claims of a download URL. The claims never include `role`, `upsert` or `owner`, so a download link can't
 * be used as a session or for an upload.
 */
export function downloadClaims(
  url: string,
  nowSeconds: number,
  expiresInSeconds: number,
  { transformations = '', objects }: Partial<Pick<SignedClaims, 'transformations' | 'objects'>> = {},
): Record<string, unknown> {
  const transformed = transformations === '' ? {} : { transformations };
  return {
    ...transformed,
    url,
    scope: 'download',
    ...(objects && { objects }),
    iat: nowSeconds,
    exp: nowSeconds + expiresInSeconds,
  };
}

export function uploadClaims(
  url: string,
  options: Pick<SignedClaims, 'owner' | 'upsert'> & Partial<Pick<SignedClaims, 'objects'>>,
  nowSeconds: number,
  expiresInSeconds: number,
): Record<string, unknown> {
  const { owner, upsert, objects } = options;
  return {
    owner,
    url,
    upsert,
    scope: 'upload',
    ...(objects && { objects }),
    iat: nowSeconds,
    exp: nowSeconds + expiresInSeconds,
  };
}

/**
 * Returns the claims of a signed URL, whose signature and expiry have been checked, if they match `scope` and this
 * object. Otherwise, returns the name of the failed check.
 */
export function readSignedClaims(
  claims: Readonly<Record<string, unknown>>,
  scope: SignedScope,
  url: string,
): SignedClaims | 'scope' | 'url' | 'expiry' {
  const tokenScope = claims.scope ?? ('upsert' in claims ? 'upload' : 'download');
  if (tokenScope !== scope) return 'scope';
  if (claims.url !== url) return 'url';
  // A token without an expiry is rejected, because this server always sets one.
  if (typeof claims.exp !== 'number') return 'expiry';
  return {
    url,
    scope,
    upsert: claims.upsert === true,
    owner: typeof claims.owner === 'string' ? claims.owner : undefined,
    transformations: typeof claims.transformations === 'string' ? claims.transformations : '',
    objects: Array.isArray(claims.objects) ? claims.objects.map(String) : undefined,
    exp: claims.exp,
  };
}

/** The last second whose value in milliseconds is an exact JSON number. Later expiry times are rejected. */
const lastSecond = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

export function isValidExpiry(expiresInSeconds: number, nowSeconds: number): boolean {
  return (
    Number.isSafeInteger(expiresInSeconds) &&
    expiresInSeconds >= 1 &&
    nowSeconds + expiresInSeconds <= lastSecond
  );
}

interface MarkedObject {
  readonly id: string;
  readonly owner_id: string | null;
}

/**
 * Creates the marks (hashes) that bind a user's signed link to one object. Policies are checked when the link is
 * signed, so the link must not open an object that another user later uploads to the same key. An object has one mark
 * derived from its row and one derived from its owner. The mark from the row remains valid after the object is
 * replaced. The mark from the owner remains valid if the same user removes the object and uploads it again.
 */
export function marksOf({ id, owner_id: ownerId }: MarkedObject): string[] {
  return [markOf(`object ${id}`), ...ownerMarks(ownerId)];
}

/**
 * Returns the mark of the object's owner. Returns an empty list if the object doesn't have an owner, because ownerless
 * objects must not share a mark.
 */
export function ownerMarks(ownerId: string | null): string[] {
  return ownerId === null ? [] : [markOf(`owner ${ownerId}`)];
}

/**
 * Whether a link with these marks can open the object. The marks are undefined if the link refers to a key instead of
 * an object.
 */
export function isMeant(marks: readonly string[] | undefined, object: MarkedObject): boolean {
  if (marks === undefined) return true;
  return marksOf(object).some((mark) => marks.includes(mark));
}

/** User IDs are hashed because anyone who has a link can read its claims. */
const markOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
