/**
 * OpenID Connect issuers: their discovery documents and keys, remembered, and ID tokens checked against them
 * (OpenID Connect Core section 3.1.3.7, Discovery section 4.3).
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Outgoing, Reach } from '../kernel/outgoing.ts';
import { createRemoteKeySet, isSignedBy, parseToken, type RemoteKeySet } from '../keys/index.ts';
import { isJsonObject, type JsonObject } from './core/json.ts';
import type { IdTokenClaims } from './core/providers/id-token-profiles.ts';

export interface IssuerLocation {
  readonly issuer: string;
  readonly reach: Reach;
  /** Below the issuer unless said. */
  readonly discoveryUrl?: string;
}

export interface Discovery {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string;
  readonly jwksUri: string;
  /** Signature algorithms of its ID tokens, those that need a public key; RS256 when it names none. */
  readonly algorithms: readonly string[];
  /** Its answers to the browser name it (RFC 9207). */
  readonly namesItself: boolean;
  /** As it was answered. */
  readonly document: JsonObject;
}

export interface IdTokenRules {
  readonly place: IssuerLocation;
  /** Other names by which the issuer may call itself in the token. */
  readonly aliases?: readonly string[];
  /** One of them has to be in the audience. */
  readonly audience: readonly string[];
  /** Compared with `at_hash` where both are there. */
  readonly accessToken: string | undefined;
}

export interface Oidc {
  /** @throws {Error} when the document cannot be had or is another issuer's. */
  discover(place: IssuerLocation): Promise<Discovery>;
  /** The claims of a token that is genuine and in time. @throws {IdTokenError} */
  verify(token: string, rules: IdTokenRules): Promise<IdTokenClaims>;
  /** The next look fetches again. */
  forget(issuer: string): void;
}

export class IdTokenError extends Error {
  /** The token is genuine and in time, but about nobody, or for others: upstream says which. */
  readonly fault: 'audience' | 'subject' | 'other';

  constructor(message: string, fault: IdTokenError['fault'] = 'other') {
    super(message);
    this.name = 'IdTokenError';
    this.fault = fault;
  }
}

/** Whether a text can be read as a signed token. */
export const isToken = (text: string): boolean => !('reason' in parseToken(text));

const discoveryLifetimeMs = 3_600_000;
/** ID tokens may name any tenant of Microsoft: what is remembered is bounded. */
const maxIssuers = 200;
/** By which a clock may be ahead of the issuer's, for `nbf` alone. */
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
    // An issuer that is away for a while does not lock its users out.
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

/** OpenID Connect Core section 3.1.3.8: the left half of the hash that belongs to the token's own algorithm. */
function judgeAccessToken(claims: IdTokenClaims, alg: string, accessToken: string | undefined): void {
  const expected = claims.at_hash;
  if (accessToken === undefined || typeof expected !== 'string' || expected === '') return;
  const bits = /(256|384)$/.exec(alg)?.[1] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  if (digest.subarray(0, digest.length / 2).toString('base64url') !== expected) {
    throw new IdTokenError('the access token does not belong to the ID token');
  }
}

/** Symmetric ones are left out: a secret that we share with the provider would let us sign its tokens. */
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
    // Users are sent to the first, secrets to the second.
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
