/** Parses authorization requests (RFC 6749 section 4.1.1, with PKCE and resource indicators). */
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnResource, issuerOf, type Site } from './addresses.ts';
import { type ClientDocuments, isDocumentUrl } from './client-documents.ts';
import { isRegistered, type OAuthClient, parseClientId } from './clients.ts';
import { OAuthError } from './errors.ts';

/** The scopes. `write` means that the client wants to make changes, and the operator decides whether it may. */
export const scopes = ['read', 'write'] as const;

export interface AuthorizationRequest {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly codeChallenge: string;
  readonly asksForChanges: boolean;
}

/** A request that can't be approved. `returnUrl` reports the error to the client, if the client is known. */
export interface InvalidRequest {
  readonly fault: string;
  readonly returnUrl: string | undefined;
}

/** The maximum length of an authorization request's query. */
export const maxQueryLength = 8192;

/**
 * Packs an authorization request's query into one URL parameter, so that the Console's router passes it on unchanged.
 */
export const packQuery = (query: string): string => Buffer.from(query).toString('base64url');

export interface RequestContext {
  readonly headers: IncomingHttpHeaders;
  readonly site: Site;
  readonly documents: ClientDocuments;
}

/** Parses a packed authorization request. */
export async function parseRequest(
  packed: string,
  { headers, site, documents }: RequestContext,
): Promise<{ readonly request: AuthorizationRequest } | InvalidRequest> {
  const query = new URLSearchParams(Buffer.from(packed, 'base64url').toString());
  const get = (name: string): string => query.get(name) ?? '';
  // RFC 6749 section 3.1. With two values, this server and another reader of the URL could use different ones.
  if (new Set(query.keys()).size < query.size)
    return { fault: 'The request contains a parameter twice.', returnUrl: undefined };
  const client = await findClient(get('client_id'), documents);
  if ('fault' in client) return { ...client, returnUrl: undefined };
  const redirectUri = get('redirect_uri');
  if (!isRegistered(client, redirectUri))
    return { fault: "The client hasn't registered the redirect URI.", returnUrl: undefined };
  const state = get('state') || undefined;
  const error = faultOf(get, headers, site);
  if (error !== undefined)
    return {
      fault: error.message,
      returnUrl: responseUrl(redirectUri, issuerOf(headers, site), state, {
        error: error.code,
        error_description: error.message,
      }),
    };
  return {
    request: {
      client,
      redirectUri,
      state,
      codeChallenge: get('code_challenge'),
      asksForChanges: get('scope').split(' ').includes('write'),
    },
  };
}

async function findClient(
  id: string,
  documents: ClientDocuments,
): Promise<OAuthClient | { readonly fault: string }> {
  if (!isDocumentUrl(id))
    return parseClientId(id) ?? { fault: "The client isn't registered. Connect it again." };
  try {
    return await documents.find(id);
  } catch (error) {
    if (error instanceof OAuthError) return { fault: error.message };
    throw error;
  }
}

/** Scopes aren't checked, because the operator decides about the access, and the token response contains it. */
function faultOf(
  get: (name: string) => string,
  headers: IncomingHttpHeaders,
  site: Site,
): OAuthError | undefined {
  if (get('response_type') !== 'code')
    return new OAuthError('unsupported_response_type', 'response_type must be code');
  if (get('code_challenge_method') !== 'S256')
    return new OAuthError('invalid_request', 'code_challenge_method must be S256');
  if (!/^[\w-]{43}$/.test(get('code_challenge')))
    return new OAuthError('invalid_request', 'code_challenge must be a SHA-256 hash in base64url');
  const resource = get('resource');
  if (resource !== '' && !isOwnResource(resource, headers, site))
    return new OAuthError('invalid_target', "resource isn't this server's MCP endpoint");
  return undefined;
}

/** Returns the URL that sends the response to the client, with the issuer (RFC 9207). */
export function responseUrl(
  redirectUri: string,
  issuer: string,
  state: string | undefined,
  response: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  const params = { ...response, ...(state === undefined ? {} : { state }), iss: issuer };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url.href;
}
