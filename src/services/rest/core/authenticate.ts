/**
 * Authenticates a request and returns its role and claims. `keys` verifies the token's signature, and this module
 * verifies its claims.
 */

import { networkOf } from '../../../base/shared/network/network-of.ts';
import type { RequestClient } from '../../../platform/database/types.ts';
import type { Keys, TokenFault, TokenKind } from '../../../platform/keys/types.ts';
import { type RestError, restError } from '../errors.ts';
import { type ClaimPath, claimAt } from './claim-path.ts';
import type { RestRequest } from './request.ts';

export interface Identity {
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** All claims, including the effective role, as JSON for `request.jwt.claims`. */
  readonly claimsJson: string;
}

interface AuthenticationRules {
  readonly anonRole: string | undefined;
  readonly audience: string | undefined;
  readonly roleClaim: ClaimPath;
}

/** The clock skew that is tolerated, in seconds. */
const SKEW = 30;
const BEARER = /^bearer(?:\s+(.*))?$/is;

/**
 * Authenticates a request.
 * @throws {RestError} PGRST301 (invalid token), PGRST302 (no token and anonymous access is disabled), PGRST303 (invalid
 * claims)
 */
export function authenticate(
  authorization: string | undefined,
  verify: Keys['verify'],
  rules: AuthenticationRules,
  nowMs: number,
): Identity {
  const token = authorization === undefined ? undefined : bearerToken(authorization);
  // Authentication schemes other than Bearer are ignored.
  if (token === undefined) return anonymous(rules);
  if (token === '') throw badToken('Empty JWT is sent in Authorization header');
  const result = verify(token);
  if (!result.ok) throw faultyToken(result);
  verifyClaims(result.claims, rules.audience, Math.floor(nowMs / 1000));
  const role = claimAt(result.claims, rules.roleClaim) ?? rules.anonRole;
  if (role === undefined) throw tokenRequired();
  const { claims } = result;
  const claimsJson = claims.role === role ? result.claimsJson : JSON.stringify({ ...claims, role });
  return { role, claims, claimsJson };
}

function bearerToken(authorization: string): string | undefined {
  // A fast path for the most common spelling of the scheme. The regular expression below would return the same result.
  if (authorization.startsWith('Bearer ey')) return authorization.slice(7);
  const bearer = BEARER.exec(authorization);
  return bearer === null ? undefined : (bearer[1] ?? '');
}

function anonymous(rules: AuthenticationRules): Identity {
  const role = rules.anonRole;
  if (role === undefined) throw tokenRequired();
  return { role, claims: {}, claimsJson: JSON.stringify({ role }) };
}

/**
 * Checks the claims in PostgREST's order, because only the first failed check is reported. In contrast to PostgREST,
 * times can have a fraction (RFC 7519, section 2).
 */
function verifyClaims(
  claims: Readonly<Record<string, unknown>>,
  audience: string | undefined,
  now: number,
): void {
  const { exp, nbf, iat, aud } = claims;
  if (isGiven(exp)) {
    if (typeof exp !== 'number') throw badClaims("The JWT 'exp' claim must be a number");
    if (now - SKEW > exp) throw badClaims('JWT expired');
  }
  if (isGiven(nbf)) {
    if (typeof nbf !== 'number') throw badClaims("The JWT 'nbf' claim must be a number");
    if (now + SKEW < nbf) throw badClaims('JWT not yet valid');
  }
  if (isGiven(iat)) {
    if (typeof iat !== 'number') throw badClaims("The JWT 'iat' claim must be a number");
    if (now + SKEW < iat) throw badClaims('JWT issued at future');
  }
  if (!isGiven(aud)) return;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!Array.isArray(audiences) || !audiences.every((one) => typeof one === 'string')) {
    throw badClaims("The JWT 'aud' claim must be a string or an array of strings");
  }
  if (audience !== undefined && audiences.length > 0 && !audiences.includes(audience)) {
    throw badClaims('JWT not in audience');
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function faultyToken(fault: TokenFault): RestError {
  switch (fault.reason) {
    case 'malformed':
      return fault.parts === 3
        ? badToken('JWT cryptographic operation failed')
        : badToken(`Expected 3 parts in JWT; got ${fault.parts}`);
    case 'algorithm':
      return badToken(
        'Wrong or unsupported encoding algorithm',
        fault.algorithm === 'none' ? "JWT is unsecured but expected 'alg' was not 'none'" : null,
      );
    case 'no-key':
      return badToken('No suitable key or wrong key type', 'No suitable key was found to decode the JWT');
    case 'signature':
      return badToken('No suitable key or wrong key type', 'None of the keys was able to decode the JWT');
    case 'kind':
      return badToken('JWT is not an access token', notAccess[fault.kind]);
  }
}

/** The errors, by token kind, for tokens that this project signed for a purpose other than access. */
const notAccess: Readonly<Record<TokenKind, string | null>> = {
  access: null,
  id: 'An ID token describes a sign-in to an OAuth client. Send the access token instead',
  'signed-url': "A signed URL's token gives access to only one storage object",
  other: 'The typ header is for a different purpose',
};

const challenge = (message: string) =>
  [
    ['WWW-Authenticate', `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`],
  ] as const;
const badToken = (fault: string, details: string | null = null): RestError =>
  restError('PGRST301', { texts: { fault }, details, headers: challenge(fault) });
const badClaims = (fault: string): RestError =>
  restError('PGRST303', { texts: { fault }, headers: challenge(fault) });
const tokenRequired = (): RestError => restError('PGRST302', { headers: [['WWW-Authenticate', 'Bearer']] });

/**
 * Returns the client to which a request is attributed when clients take turns using database connections: the user ID
 * or, if the caller isn't signed in, the network of the IP address. Anonymous users are grouped by network, because
 * anyone can create many of them.
 */
export function clientOf(
  { address = '' }: RestRequest,
  { role, claims }: Identity,
  anonRole: string | undefined,
): RequestClient {
  const isAnonymousUser = claims.is_anonymous === true;
  const isAnonymous = isAnonymousUser || role === anonRole;
  if (!isAnonymousUser && typeof claims.sub === 'string') return { key: claims.sub, isAnonymous };
  // The network is determined only for IPv6 addresses, because parsing the address of every request would be too slow.
  return { key: address.includes(':') ? networkOf(address) : address, isAnonymous };
}
