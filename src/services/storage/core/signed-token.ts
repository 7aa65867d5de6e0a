/**
 * Reads and creates the claims of signed URL tokens. A signed URL token specifies one object, one action and an expiry
 * time. The caller has already verified the signature and the expiry. Older servers issued tokens without `scope`. A
 * token without `scope` is an upload token if it contains `upsert`.
 */

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
   * The marks of the object to which the link is bound (`object-marks.ts`). If the marks are undefined, the link
   * applies to every object with this key.
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
 * Returns the claims of a signed URL if they match `scope` and this object. Otherwise, returns the name of the failed
 * check.
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
