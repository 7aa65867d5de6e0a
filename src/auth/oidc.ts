/**
 * OpenID Connect issuers: caches discovery documents and keys, and verifies ID tokens with them (OpenID Connect Core
 * section 3.1.3.7, Discovery section 4.3).
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { createRemoteKeySet, isSignedBy, parseToken, type RemoteKeySet } from '../keys/index.ts';
import type { Outgoing, Reach } from '../shared/outgoing.ts';
import { isJsonObject, type JsonObject } from './core/json.ts';
import type { IdTokenClaims } from './core/providers/id-token-profiles.ts';

export interface IssuerLocation {
  readonly issuer: string;
  readonly reach: Reach;
  /** Defaults to the well-known path below the issuer. */
  readonly discoveryUrl?: string;
}

export interface Discovery {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string;
  readonly jwksUri: string;
  /** The asymmetric algorithms that the issuer signs ID tokens with. RS256 if the document lists none. */
  readonly algorithms: readonly string[];
  /** Whether the issuer adds `iss` to its authorization responses (RFC 9207). */
  readonly namesItself: boolean;
  /** The document as received. */
  readonly document: JsonObject;
}

export interface IdTokenRules {
  readonly place: IssuerLocation;
  /** Other issuer names that the token may contain. */
  readonly aliases?: readonly string[];
  /** The token's audience must contain at least one of these values. */
  readonly audience: readonly string[];
  /** Compared with `at_hash` if both are present. */
  readonly accessToken: string | undefined;
}

export interface Oidc {
  /** @throws {Error} if the document can't be fetched or belongs to another issuer */
  discover(place: IssuerLocation): Promise<Discovery>;
  /** Returns the claims of a valid, unexpired token. @throws {IdTokenError} */
  verify(token: string, rules: IdTokenRules): Promise<IdTokenClaims>;
  /** Removes the issuer from the cache. */
  forget(issuer: string): void;
}

export class IdTokenError extends Error {
  /**
   * `audience`: the token is valid but issued to another client. `subject`: the token is valid but has no subject.
   * Upstream returns a separate message for each.
   */
  readonly fault: 'audience' | 'subject' | 'other';

  constructor(message: string, fault: IdTokenError['fault'] = 'other') {
    super(message);
    this.name = 'IdTokenError';
    this.fault = fault;
  }
}

/** Whether the text can be parsed as a signed token. */
export const isToken = (text: string): boolean => !('reason' in parseToken(text));

const discoveryLifetimeMs = 3_600_000;
/** Bounds the cache, because an ID token can specify any Microsoft tenant. */
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
  const underWay = new Map<string, Promise<Known>>();
  const keyOf = ({ issuer, reach, discoveryUrl }: IssuerLocation) =>
    `${reach} ${issuer} ${discoveryUrl ?? ''}`;

  async function load(place: IssuerLocation): Promise<Known> {
    const discovery = await fetchDiscovery(outgoing, place);
    const keys = createRemoteKeySet({
      now: () => clock.now(),
      fetch: () => fetchJson(outgoing, discovery.jwksUri, place.reach),
    });
    const entry = { fetchedAt: clock.now(), discovery, keys };
    if (known.size >= maxIssuers) known.delete(known.keys().next().value ?? '');
    known.set(keyOf(place), entry);
    return entry;
  }

  async function find(place: IssuerLocation): Promise<Known> {
    const key = keyOf(place);
    const entry = known.get(key);
    if (entry && clock.now() - entry.fetchedAt < discoveryLifetimeMs) return entry;
    let loading = underWay.get(key);
    if (loading === undefined) {
      loading = load(place).finally(() => underWay.delete(key));
      underWay.set(key, loading);
    }
    // Uses the cached document if the issuer is unavailable, so that its users can still sign in.
    return entry ? loading.catch(() => entry) : loading;
  }

  return {
    discover: async (place) => (await find(place)).discovery,
    async verify(text, rules) {
      const { discovery, keys } = await find(rules.place);
      const token = parseToken(text);
      if ('reason' in token) throw new IdTokenError(`not a token: ${token.reason}`);
      if (!discovery.algorithms.includes(token.alg)) {
        throw new IdTokenError(`${discovery.issuer} does not sign with ${token.alg}`);
      }
      const candidates = await keys.find(token);
      if (!isSignedBy(token, candidates)) throw new IdTokenError('the signature is not of the issuer');
      judgeOrigin(token.claims, [rules.place.issuer, ...(rules.aliases ?? [])], clock.now() / 1000);
      judgeAccessToken(token.claims, token.alg, rules.accessToken);
      judgeTarget(token.claims, rules.audience);
      return token.claims;
    },
    forget(issuer) {
      for (const [key, { discovery }] of known) if (discovery.issuer === issuer) known.delete(key);
    },
  };
}

function judgeOrigin({ iss, exp, nbf }: IdTokenClaims, issuers: readonly string[], nowSeconds: number): void {
  if (typeof iss !== 'string' || !issuers.includes(iss)) throw new IdTokenError(`issued by ${String(iss)}`);
  if (typeof exp !== 'number' || nowSeconds >= exp) throw new IdTokenError('the token has expired');
  if (nbf !== undefined && (typeof nbf !== 'number' || nowSeconds + notBeforeSkewSeconds < nbf)) {
    throw new IdTokenError('the token does not count yet');
  }
}

function judgeTarget({ sub, aud }: IdTokenClaims, audience: readonly string[]): void {
  if (typeof sub !== 'string' || sub === '') {
    throw new IdTokenError('Missing sub claim in id_token', 'subject');
  }
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.some((one) => one !== '' && audiences.includes(one))) {
    throw new IdTokenError(`Unacceptable audience in id_token: [${audiences.join(' ')}]`, 'audience');
  }
}

/**
 * Checks that `at_hash` is the left half of the access token's hash, computed with the ID token's algorithm (OpenID
 * Connect Core section 3.1.3.8).
 */
function judgeAccessToken(claims: IdTokenClaims, alg: string, accessToken: string | undefined): void {
  const expected = claims.at_hash;
  if (accessToken === undefined || typeof expected !== 'string' || expected === '') return;
  const bits = /(256|384)$/.exec(alg)?.[1] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  if (digest.subarray(0, digest.length / 2).toString('base64url') !== expected) {
    throw new IdTokenError('the access token does not belong to the ID token');
  }
}

/** Excludes symmetric algorithms, because a secret shared with the provider would let us sign its tokens. */
const publicAlgorithms = new Set('RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' '));

async function fetchDiscovery(outgoing: Outgoing, place: IssuerLocation): Promise<Discovery> {
  const url = place.discoveryUrl ?? `${place.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const document = await fetchJson(outgoing, url, place.reach);
  if (!isJsonObject(document)) throw new Error(`oidc: failed to decode discovery document from ${url}`);
  const text = (name: string): string => (typeof document[name] === 'string' ? document[name] : '');
  if (text('issuer') !== place.issuer) {
    throw new Error(`oidc: issuer mismatch, expected "${place.issuer}" got "${text('issuer')}"`);
  }
  const named = document.id_token_signing_alg_values_supported;
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
    // Browsers are sent to the authorization endpoint, and secrets to the token endpoint.
    if (place.reach === 'public' && text(name) !== '' && !text(name).startsWith('https://')) {
      throw new Error(`oidc: ${name} of ${place.issuer} must use HTTPS`);
    }
  }
  const algorithms = Array.isArray(named) ? named.filter((alg) => publicAlgorithms.has(String(alg))) : [];
  return {
    issuer: place.issuer,
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
  const answer = await outgoing.send({ url, reach, redirects: 3 });
  if (answer.status !== 200) throw new Error(`oidc: request to ${url} returned ${answer.status}`);
  return JSON.parse(answer.text) as unknown;
}
