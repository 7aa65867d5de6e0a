/**
 * What a signed URL's token says: one object, one action, an end. Signature and expiry are checked before; here the
 * claims are read and made. Tokens without `scope` are from servers before scopes: those for upload have `upsert`.
 */

export type SignedScope = 'download' | 'upload';

export interface SignedClaims {
  /** `bucket/key`. */
  readonly url: string;
  readonly scope: SignedScope;
  readonly upsert: boolean;
  readonly owner: string | undefined;
  /** What a picture is to become (`transform.ts`); empty for the object as it is. */
  readonly transformations: string;
  /** Of the objects that it reaches (`object-marks.ts`); undefined for whatever is under the key. */
  readonly objects: readonly string[] | undefined;
  /** Seconds since the epoch. */
  readonly exp: number;
}

/** A download URL's claims. Never `role`, `upsert` or `owner`: a link must not pass for a session or for an upload. */
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

/** The claims if they are those of a signed URL for `scope` and exactly this object; else which check failed. */
export function readSignedClaims(
  claims: Readonly<Record<string, unknown>>,
  scope: SignedScope,
  url: string,
): SignedClaims | 'scope' | 'url' | 'expiry' {
  const tokenScope = claims.scope ?? ('upsert' in claims ? 'upload' : 'download');
  if (tokenScope !== scope) return 'scope';
  if (claims.url !== url) return 'url';
  // A token without an end is none of ours.
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

/** The last second that a JSON number can name in milliseconds; later ends are refused. */
const lastSecond = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

export function isValidExpiry(expiresInSeconds: number, nowSeconds: number): boolean {
  return (
    Number.isSafeInteger(expiresInSeconds) &&
    expiresInSeconds >= 1 &&
    nowSeconds + expiresInSeconds <= lastSecond
  );
}
