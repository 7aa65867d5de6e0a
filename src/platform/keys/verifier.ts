/**
 * The shared token verifier, which checks structure, algorithm, key and signature (RFC 7515 section 5.2). Each service
 * must check the claims (expiry, audience, role and so on) on each call.
 */
import { type Algorithm, findAlgorithm, type Key, type LoadedKey } from './jwk.ts';
import type { Claims, TokenFault, TokenKind, VerifiedToken } from './types.ts';

type Accepted = Extract<VerifiedToken, { ok: true }>;

/**
 * The maximum number of cached tokens. Together with the maximum length of a cached token, this number limits memory
 * use.
 */
const cacheEntries = 2000;
const cachedTokenChars = 4096;

export interface VerifierKeys {
  /** The key that verifies an HMAC signature if no other key matches, even if the token has a different `kid`. */
  readonly secret: Buffer | undefined;
  readonly keys: readonly LoadedKey[];
  /** Returns those keys of an external issuer with which this token may have been signed. */
  readonly outside?: (token: ParsedToken) => readonly Key[];
}

export interface VerifierCache {
  /** The maximum number of cached tokens. 0 disables the cache. */
  readonly entries?: number | undefined;
  /** Called for each cache lookup. */
  readonly onLookup?: ((hit: boolean) => void) | undefined;
  readonly onEviction?: (() => void) | undefined;
}

export function createVerifier(
  current: () => VerifierKeys,
  { entries = cacheEntries, onLookup, onEviction }: VerifierCache = {},
): {
  verify(token: string): VerifiedToken;
  forget(): void;
} {
  const cache = new Map<string, Accepted>();

  function remember(token: string, accepted: Accepted): void {
    if (token.length > cachedTokenChars || entries === 0) return;
    if (cache.size >= entries) {
      // A Map iterates in insertion order, so the first key is the oldest.
      const oldest = cache.keys().next().value;
      if (oldest !== undefined && cache.delete(oldest)) onEviction?.();
    }
    cache.set(token, accepted);
  }

  return {
    verify(token) {
      const known = cache.get(token);
      if (entries > 0) onLookup?.(known !== undefined);
      if (known !== undefined) return known;
      const { result, isOwn } = check(token, current());
      // Tokens from an external issuer aren't cached, because the issuer can revoke a key.
      if (result.ok && isOwn) remember(token, result);
      return result;
    },
    forget: () => cache.clear(),
  };
}

function check(text: string, keys: VerifierKeys): { result: VerifiedToken; isOwn: boolean } {
  const token = parseToken(text);
  if ('reason' in token) return refused(token);
  const { alg, kid } = token;
  const candidates = candidateKeys(alg, token.algorithm.kty, kid, keys);
  const isOwn = isSignedBy(token, candidates);
  if (isOwn) return { result: accepted(token, true), isOwn };
  // Excludes symmetric keys, because an external issuer's keys are public.
  const outside = token.algorithm.kty === 'oct' ? [] : (keys.outside?.(token) ?? []);
  if (isSignedBy(token, outside)) return { result: accepted(token, false), isOwn };
  const reason = candidates.length + outside.length === 0 ? 'no-key' : 'signature';
  return refused({ reason, algorithm: alg, kid });
}

const refused = (fault: TokenFault) => ({ result: { ok: false as const, ...fault }, isOwn: false });

function accepted({ header, claims, claimsJson, alg, kid }: ParsedToken, isOwn: boolean): Accepted {
  const typ = typeof header.typ === 'string' ? header.typ : undefined;
  return {
    ok: true,
    claims: Object.freeze(claims),
    header: Object.freeze({
      alg,
      ...(kid === undefined ? {} : { kid }),
      ...(typ === undefined ? {} : { typ }),
    }),
    claimsJson,
    isOwn,
  };
}

/**
 * Returns the keys that may verify a token with this algorithm. If the token has a `kid`, returns only the key with
 * this `kid`. For HMAC, returns the key for the project's JWT secret if no other key matches.
 */
function candidateKeys(
  alg: string,
  kty: string,
  kid: string | undefined,
  { secret, keys }: VerifierKeys,
): Key[] {
  const usable = keys
    .filter((key) => key.alg === alg && (kid === undefined || key.kid === kid))
    .map((key) => key.verifyKey);
  if (kty === 'oct' && usable.length === 0 && secret !== undefined) return [{ kind: 'secret', secret }];
  return usable;
}

export interface ParsedToken {
  readonly header: Readonly<Claims>;
  readonly claims: Readonly<Claims>;
  /** The original JSON text of the claims. */
  readonly claimsJson: string;
  /** The algorithm's JWS name. `Ed25519` (RFC 9864) is treated as EdDSA. */
  readonly alg: string;
  readonly algorithm: Algorithm;
  readonly kid: string | undefined;
  /** The signed text, which consists of the header and the claims as received. */
  readonly signed: string;
  readonly signature: Buffer;
}

/**
 * Parses a JSON Web Token (RFC 7519, compact serialization of RFC 7515) and checks its structure and its algorithm. The
 * signature isn't verified.
 */
export function parseToken(token: string): ParsedToken | TokenFault {
  const parts = token.split('.');
  const [head, body, tail] = parts;
  if (parts.length !== 3 || !head || !body || tail === undefined) {
    return { reason: 'malformed', parts: parts.length };
  }
  const header = parseObject(head)?.value;
  const payload = parseObject(body);
  if (header === undefined || payload === undefined || !isBase64Url(tail)) {
    return { reason: 'malformed', parts: 3 };
  }
  const name = typeof header.alg === 'string' ? header.alg : undefined;
  const alg = name === 'Ed25519' ? 'EdDSA' : name;
  const algorithm = alg === undefined ? undefined : findAlgorithm(alg);
  // Rejects a token with `crit`, because this header lists extensions that the recipient must understand, and none are
  // supported (RFC 7515 section 4.1.11).
  if (alg === undefined || algorithm === undefined || header.crit !== undefined) {
    return { reason: 'algorithm', algorithm: name };
  }
  return {
    header,
    claims: payload.value,
    claimsJson: payload.text,
    alg,
    algorithm,
    kid: typeof header.kid === 'string' && header.kid !== '' ? header.kid : undefined,
    signed: `${head}.${body}`,
    signature: Buffer.from(tail, 'base64url'),
  };
}

export function isSignedBy(token: ParsedToken, keys: readonly Key[]): boolean {
  return keys.some((key) => token.algorithm.verify(key, token.signed, token.signature));
}

const base64Url = /^[A-Za-z0-9_-]+$/;
const isBase64Url = (text: string): boolean => base64Url.test(text);

function parseObject(part: string): { value: Claims; text: string } | undefined {
  if (!isBase64Url(part)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { value: value as Claims, text };
  } catch {
    return undefined;
  }
}

/**
 * The media types of access tokens in lower case (RFC 7519 section 5.1, RFC 9068 section 2.1). The prefix
 * `application/` can be missing from a token's media type.
 */
const accessTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

/**
 * Determines the purpose for which this project signed a token. All of the project's JWTs are signed with the same
 * keys. Therefore, a valid signature alone doesn't make an ID token or a signed URL's token an API credential.
 */
export function kindOfToken(header: Readonly<{ typ?: unknown }>, claims: Readonly<Claims>): TokenKind {
  const { typ } = header;
  if (typ !== undefined) {
    if (typeof typ !== 'string') return 'other';
    if (!accessTypes.has(typ.toLowerCase().replace(/^application\//, ''))) return 'other';
  }
  // A token with a role is an access token because the other kinds are issued without a role.
  if (claims.role !== undefined) return 'access';
  if (typeof claims.url === 'string') return 'signed-url';
  // Sessions have no `auth_time`, and ID tokens have no session ID (OpenID Connect Core section 2).
  if (claims.auth_time !== undefined && claims.session_id === undefined) return 'id';
  return 'access';
}
