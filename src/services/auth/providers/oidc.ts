/**
 * Caches the discovery documents and keys of OpenID Connect issuers (Discovery section 4.3), and verifies ID tokens
 * with the keys (OpenID Connect Core section 3.1.3.7).
 */
import { createHash } from 'node:crypto';
import { ageMs, type Clock } from '../../../base/kernel/clock.ts';
import type { Outgoing, Reach } from '../../../base/shared/network/outgoing.ts';
import {
  createRemoteKeySet,
  isSignedBy,
  parseToken,
  type RemoteKeySet,
} from '../../../platform/keys/index.ts';
import { isJsonObject, type JsonObject } from '../common/json.ts';
import type { IdTokenClaims } from './catalog/id-token-profiles.ts';

export interface IssuerLocation {
  readonly issuer: string;
  readonly reach: Reach;
  /** The discovery document's URL. Defaults to the well-known path under the issuer. */
  readonly discoveryUrl?: string;
}

export interface Discovery {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string;
  readonly jwksUri: string;
  /** The asymmetric algorithms that the issuer uses to sign ID tokens. */
  readonly algorithms: readonly string[];
  /** Whether the issuer's authorization responses contain `iss` (RFC 9207). */
  readonly namesItself: boolean;
  /** The discovery document, exactly as the issuer sent it. */
  readonly document: JsonObject;
}

export interface IdTokenRules {
  readonly location: IssuerLocation;
  /** Alternative issuer names that are accepted in the token. */
  readonly aliases?: readonly string[];
  /** The accepted audiences. The token must contain at least one of these audiences. */
  readonly audience: readonly string[];
  /**
   * The access token issued with the ID token. The access token's hash is compared with `at_hash` if both are present.
   */
  readonly accessToken: string | undefined;
}

export interface Oidc {
  /**
   * Returns an issuer's discovery document.
   * @throws {Error} if the document can't be fetched or belongs to another issuer
   */
  discover(location: IssuerLocation): Promise<Discovery>;
  /** Verifies an ID token and returns the token's claims. @throws {IdTokenError} if the token is invalid or expired */
  verify(token: string, rules: IdTokenRules): Promise<IdTokenClaims>;
  /** Removes the issuer from the cache. */
  forget(issuer: string): void;
}

export class IdTokenError extends Error {
  /**
   * The kind of error. `audience` means that the token is valid but was issued to another client. `subject` means that
   * the token is valid but has no subject. Upstream has separate messages for the kinds `audience` and `subject`.
   */
  readonly fault: 'audience' | 'subject' | 'other';

  constructor(message: string, fault: IdTokenError['fault'] = 'other') {
    super(message);
    this.name = 'IdTokenError';
    this.fault = fault;
  }
}

/** Whether the text has the format of a signed token. */
export const isToken = (text: string): boolean => !('reason' in parseToken(text));

const discoveryLifetimeMs = 3_600_000;
/**
 * The maximum number of cached issuers. The cache is limited because an ID token can name any Microsoft tenant as its
 * issuer.
 */
const maxIssuers = 200;
/** The tolerated clock skew for `nbf`. */
const notBeforeSkewSeconds = 300;

interface Known {
  readonly fetchedAt: number;
  readonly discovery: Discovery;
  readonly keys: RemoteKeySet;
}

export function createOidc(outgoing: Outgoing, clock: Clock): Oidc {
  const known = new Map<string, Known>();
  const inFlight = new Map<string, Promise<Known>>();
  const keyOf = ({ issuer, reach, discoveryUrl }: IssuerLocation) =>
    `${reach} ${issuer} ${discoveryUrl ?? ''}`;

  async function load(location: IssuerLocation): Promise<Known> {
    const discovery = await fetchDiscovery(outgoing, location);
    const keys = createRemoteKeySet({
      now: () => clock.now(),
      fetch: () => fetchJson(outgoing, discovery.jwksUri, location.reach),
    });
    const entry = { fetchedAt: clock.now(), discovery, keys };
    if (known.size >= maxIssuers) known.delete(known.keys().next().value ?? '');
    known.set(keyOf(location), entry);
    return entry;
  }

  async function find(location: IssuerLocation): Promise<Known> {
    const key = keyOf(location);
    const entry = known.get(key);
    if (entry && ageMs(entry.fetchedAt, clock.now()) < discoveryLifetimeMs) return entry;
    let loading = inFlight.get(key);
    if (loading === undefined) {
      loading = load(location).finally(() => inFlight.delete(key));
      inFlight.set(key, loading);
    }
    // If the issuer is unavailable, uses the cached document, so that users can still sign in.
    return entry ? loading.catch(() => entry) : loading;
  }

  return {
    discover: async (location) => (await find(location)).discovery,
    async verify(text, rules) {
      const { discovery, keys } = await find(rules.location);
      const token = parseToken(text);
      if ('reason' in token) throw new IdTokenError(`not a token: ${token.reason}`);
      if (!discovery.algorithms.includes(token.alg)) {
        throw new IdTokenError(`${discovery.issuer} doesn't sign with ${token.alg}`);
      }
      const candidates = await keys.find(token);
      if (!isSignedBy(token, candidates)) throw new IdTokenError("the signature isn't from the issuer");
      checkOrigin(token.claims, [rules.location.issuer, ...(rules.aliases ?? [])], clock.now() / 1000);
      checkAccessToken(token.claims, token.alg, rules.accessToken);
      checkTarget(token.claims, rules.audience);
      return token.claims;
    },
    forget(issuer) {
      for (const [key, { discovery }] of known) if (discovery.issuer === issuer) known.delete(key);
    },
  };
}

function checkOrigin({ iss, exp, nbf }: IdTokenClaims, issuers: readonly string[], nowSeconds: number): void {
  if (typeof iss !== 'string' || !issuers.includes(iss)) throw new IdTokenError(`issued by ${String(iss)}`);
  if (typeof exp !== 'number' || nowSeconds >= exp) throw new IdTokenError('the token has expired');
  if (nbf !== undefined && (typeof nbf !== 'number' || nowSeconds + notBeforeSkewSeconds < nbf)) {
    throw new IdTokenError("the token isn't valid yet");
  }
}

function checkTarget({ sub, aud }: IdTokenClaims, audience: readonly string[]): void {
  if (typeof sub !== 'string' || sub === '') {
    throw new IdTokenError('Missing sub claim in id_token', 'subject');
  }
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.some((one) => one !== '' && audiences.includes(one))) {
    throw new IdTokenError(`Unacceptable audience in id_token: [${audiences.join(' ')}]`, 'audience');
  }
}

/**
 * Checks that `at_hash` is the left half of the access token's hash, using the ID token's hash algorithm (OpenID
 * Connect Core section 3.1.3.8).
 */
function checkAccessToken(claims: IdTokenClaims, alg: string, accessToken: string | undefined): void {
  const expected = claims.at_hash;
  if (accessToken === undefined || typeof expected !== 'string' || expected === '') return;
  const bits = /(256|384)$/.exec(alg)?.[1] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  if (digest.subarray(0, digest.length / 2).toString('base64url') !== expected) {
    throw new IdTokenError("the access token doesn't belong to the ID token");
  }
}

/**
 * The accepted algorithms. Excludes symmetric algorithms, because anyone who knows the shared client secret could then
 * sign tokens in the provider's name.
 */
const publicAlgorithms = new Set('RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' '));

async function fetchDiscovery(outgoing: Outgoing, location: IssuerLocation): Promise<Discovery> {
  const url =
    location.discoveryUrl ?? `${location.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const document = await fetchJson(outgoing, url, location.reach);
  if (!isJsonObject(document)) throw new Error(`oidc: failed to decode discovery document from ${url}`);
  const text = (name: string): string => (typeof document[name] === 'string' ? document[name] : '');
  if (text('issuer') !== location.issuer) {
    throw new Error(`oidc: issuer mismatch, expected "${location.issuer}" got "${text('issuer')}"`);
  }
  const named = document.id_token_signing_alg_values_supported;
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
    // The URLs must use https, because browsers are redirected to the authorization endpoint and secrets are sent to
    // the token endpoint.
    if (location.reach === 'public' && text(name) !== '' && !text(name).startsWith('https://')) {
      throw new Error(`oidc: ${name} of ${location.issuer} must use HTTPS`);
    }
  }
  const algorithms = Array.isArray(named) ? named.filter((alg) => publicAlgorithms.has(String(alg))) : [];
  return {
    issuer: location.issuer,
    authorizationEndpoint: text('authorization_endpoint'),
    tokenEndpoint: text('token_endpoint'),
    userinfoEndpoint: text('userinfo_endpoint'),
    jwksUri: text('jwks_uri'),
    algorithms: algorithms.length === 0 ? ['RS256'] : (algorithms as string[]),
    namesItself: document.authorization_response_iss_parameter_supported === true,
    document,
  };
}

async function fetchJson(outgoing: Outgoing, url: string, reach: Reach): Promise<unknown> {
  const response = await outgoing.send({ url, reach, redirects: 3 });
  if (response.status !== 200) throw new Error(`oidc: request to ${url} returned ${response.status}`);
  return JSON.parse(response.text) as unknown;
}
