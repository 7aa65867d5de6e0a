/** The parameters of an authorization request, except the client and the redirect URI (RFC 6749 section 4.1.1). */
import type { CodeChallengeMethod } from '../common/pkce.ts';
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
  const long = Object.entries(maxLengths).find(([name, max]) => [...(query.get(name) ?? '')].length > max);
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
