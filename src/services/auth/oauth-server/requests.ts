/**
 * Parses clients' requests: the parameters of an authorization request, except the client and the redirect URI (RFC 6749
 * section 4.1.1), and the parameters and the client's credentials of a request to the token endpoint (RFC 6749 sections
 * 2.3 and 4.1.3).
 */

import { isLonger } from '../../../base/shared/text-length.ts';
import type { CodeChallengeMethod } from '../common/pkce.ts';
import { authError } from '../errors.ts';
import type { AuthMethod } from './registration.ts';
import { isSupportedScope, parseScopes } from './scopes.ts';

export interface AuthorizeRequest {
  readonly scope: string;
  readonly state: string | null;
  /** The resource indicator (RFC 8707). */
  readonly resource: string | null;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: CodeChallengeMethod;
  /** The ID token's nonce (OpenID Connect Core section 3.1.2.1). */
  readonly nonce: string | null;
}

const defaultScope = 'email';

/** Parses an authorization request. If the request is invalid, returns the `error_description` for the client. */
export function parseAuthorizeRequest(
  query: URLSearchParams,
): { readonly request: AuthorizeRequest } | { readonly fault: string } {
  const get = (name: string): string => query.get(name) ?? '';
  const scope = get('scope') || defaultScope;
  const challenge = get('code_challenge');
  const method = get('code_challenge_method').toLowerCase();
  const resource = get('resource');
  const fault =
    responseTypeFault(get('response_type')) ??
    scopeFault(scope) ??
    resourceFault(resource) ??
    challengeFault(challenge, method) ??
    lengthFault(query);
  if (fault !== undefined) return { fault };
  return {
    request: {
      scope,
      state: get('state') || null,
      resource: resource || null,
      codeChallenge: challenge,
      codeChallengeMethod: method as CodeChallengeMethod,
      nonce: get('nonce') || null,
    },
  };
}

/** The maximum lengths in code points, which the columns of `auth.oauth_authorizations` also have. */
const maxLengths = { scope: 4096, state: 4096, resource: 2048, nonce: 255 } as const;

function lengthFault(query: URLSearchParams): string | undefined {
  const long = Object.entries(maxLengths).find(([name, max]) => isLonger(query.get(name) ?? '', max));
  return long === undefined ? undefined : `${long[0]} cannot exceed ${long[1]} characters`;
}

function responseTypeFault(type: string): string | undefined {
  return type === '' || type === 'code' ? undefined : 'only response_type=code is supported';
}

function scopeFault(scope: string): string | undefined {
  const scopes = parseScopes(scope);
  if (scopes.length === 0) return 'scope parameter cannot be empty';
  const unsupported = scopes.find((each) => !isSupportedScope(each));
  return unsupported === undefined ? undefined : `unsupported scope: ${unsupported}`;
}

function resourceFault(resource: string): string | undefined {
  if (resource === '') return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are rejected
  if (/[\u0000-\u001f\u007f]/.test(resource)) return 'resource must be a valid URI';
  if (!/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(resource)) return 'resource must be an absolute URI';
  if (/#./.test(resource)) return 'resource must not include a fragment component';
  if (/\?[^#]/.test(resource)) return 'resource must not include a query component';
  return undefined;
}

/**
 * Returns the problem with a PKCE challenge, or undefined if the challenge is valid. PKCE is required (OAuth 2.1
 * section 4.1.1).
 */
function challengeFault(challenge: string, method: string): string | undefined {
  if (challenge === '' || method === '') {
    return 'PKCE flow requires both code_challenge and code_challenge_method';
  }
  if (method !== 's256' && method !== 'plain') return "code_challenge_method must be 'S256' or 'plain'";
  const length = Buffer.byteLength(challenge);
  return length < 43 || length > 128 ? 'code_challenge must be between 43 and 128 characters' : undefined;
}

/** Returns a parameter's value, or '' if it is missing. */
export type TokenParams = (name: string) => string;

/**
 * Returns the parameters in the body. Ignores parameters in the URL's query string, because query strings appear in
 * logs (RFC 6749 section 2.3.1). Returns undefined if the content type is JSON but the body isn't valid JSON.
 */
export function parseTokenParams(contentType: string, body: string): TokenParams | undefined {
  if (!contentType.includes('application/json')) {
    const isForm = contentType.startsWith('application/x-www-form-urlencoded');
    const form = new URLSearchParams(isForm ? body : '');
    // Upstream accepts `resource` only in a JSON body and ignores it in a form.
    return (name) => (name === 'resource' ? '' : (form.get(name) ?? ''));
  }
  let values: unknown;
  try {
    values = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return undefined;
  const members = new Map(Object.entries(values).filter(([, value]) => value !== null));
  if (![...members].every(([name, value]) => typeof value === 'string' || !paramNames.has(name))) {
    return undefined;
  }
  return (name) => (members.get(name) as string | undefined) ?? '';
}

const paramNames = new Set([
  'grant_type',
  'code',
  'refresh_token',
  'redirect_uri',
  'client_id',
  'client_secret',
  'code_verifier',
  'resource',
  'scope',
]);

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly method: AuthMethod;
}

/** Returns the client's credentials. @throws {AuthError} invalid_credentials */
export function readCredentials(
  authorization: string | undefined,
  params: TokenParams | undefined,
): ClientCredentials {
  const basic = /^basic (.*)$/is.exec(authorization ?? '')?.[1];
  if (basic !== undefined) return { ...parseBasic(basic), method: 'client_secret_basic' };
  if (params === undefined) throw unusable('failed to parse JSON body');
  const [clientId, clientSecret] = [params('client_id'), params('client_secret')];
  if (clientId === '') throw unusable('client_id is required');
  return { clientId, clientSecret, method: clientSecret === '' ? 'none' : 'client_secret_post' };
}

function parseBasic(encoded: string): { clientId: string; clientSecret: string } {
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(encoded) && encoded.length % 4 === 0;
  if (!isBase64) throw unusable('invalid basic auth encoding');
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw unusable('invalid basic auth format');
  return { clientId: decodePart(text.slice(0, colon)), clientSecret: decodePart(text.slice(colon + 1)) };
}

/**
 * Decodes a client ID or secret from the `Authorization` header. Clients form-encode the ID and the secret before
 * joining them (RFC 6749 section 2.3.1). Values that this server generates contain no `%`.
 */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unusable(reason: string) {
  return authError('invalid_credentials', `Invalid client credentials: ${reason}`);
}
