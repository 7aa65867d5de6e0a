/**
 * Registers OAuth clients (RFC 7591). A client ID contains the client's metadata, so the server stores nothing for a
 * client until an operator approves it, and registrations can't fill the database. The ID isn't signed, because anyone
 * can register a client with any metadata anyway.
 */
import { z } from 'zod';
import { redirectUriFault } from '../../../../base/shared/http/redirect-uri.ts';
import { matchesRegistered } from '../../../../base/shared/http/registered-uri.ts';
import { OAuthError } from './errors.ts';

export interface OAuthClient {
  readonly id: string;
  /** The name that the client has chosen. Nothing proves that the name is true. */
  readonly name: string;
  /** The host that publishes the client's metadata. Undefined if the client has registered itself. */
  readonly host?: string;
  readonly redirectUris: readonly string[];
}

/** The metadata that the client sends in return for its registration. */
export interface RegisteredClient {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: 'none';
}

const maxNameLength = 100;
const maxRedirectUris = 10;
const maxUriLength = 500;
/** The maximum length of a client ID, which is part of URLs. */
const maxClientIdLength = 3000;

export const grantTypes = ['authorization_code', 'refresh_token'] as const;
export const responseTypes = ['code'] as const;

const name = z
  .string()
  .trim()
  .min(1)
  .max(maxNameLength)
  // Invisible characters could hide or reverse parts of the name on the page that asks for approval.
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'contains invisible characters');

const redirectUris = z.array(z.string().max(maxUriLength)).min(1).max(maxRedirectUris);

const registration = z.object({
  redirect_uris: redirectUris,
  client_name: name.default('Unnamed client'),
  grant_types: z.array(z.string()).default([...grantTypes]),
  response_types: z.array(z.string()).default([...responseTypes]),
});

/**
 * Registers a client. Unknown metadata is ignored, and all clients are public clients (RFC 7591 section 3.2.1 allows a
 * server to replace metadata).
 * @throws {OAuthError} invalid_redirect_uri, invalid_client_metadata
 */
export function registerClient(body: unknown): RegisteredClient {
  const data = metadataOf(body);
  const id = clientIdOf(data.client_name, data.redirect_uris);
  if (id.length > maxClientIdLength)
    throw new OAuthError('invalid_client_metadata', 'The metadata is too long.');
  return {
    client_id: id,
    client_name: data.client_name,
    redirect_uris: data.redirect_uris,
    grant_types: grantTypes.filter((type) => data.grant_types.includes(type)),
    response_types: responseTypes,
    token_endpoint_auth_method: 'none',
  };
}

/** The fields that only a document has. Clients can't have a secret, because the document is public. */
const published = z.object({
  client_id: z.string(),
  client_name: name,
  client_secret: z.undefined().optional(),
  token_endpoint_auth_method: z.literal('none').default('none'),
});

/**
 * Returns the client that the document at this URL describes.
 * @throws {OAuthError} invalid_redirect_uri, invalid_client_metadata
 */
export function documentClient(url: string, document: unknown): OAuthClient {
  const { success, data, error } = published.safeParse(document);
  if (!success)
    throw new OAuthError(
      'invalid_client_metadata',
      `${error.issues[0]?.path.join('.') || 'The document'}: ${error.issues[0]?.message ?? 'is invalid'}`,
    );
  if (data.client_id !== url)
    throw new OAuthError('invalid_client_metadata', "client_id: isn't the URL of the document");
  const { redirect_uris: uris } = metadataOf(document);
  return { id: url, name: data.client_name, host: new URL(url).host, redirectUris: uris };
}

/** Validates a client's metadata. @throws {OAuthError} invalid_redirect_uri, invalid_client_metadata */
function metadataOf(body: unknown): z.output<typeof registration> {
  const { success, data, error } = registration.safeParse(body);
  if (!success) {
    const [issue] = error.issues;
    const field = issue?.path.join('.') ?? '';
    throw new OAuthError(
      field.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `${field === '' ? 'The body' : field}: ${issue?.message ?? 'is invalid'}`,
    );
  }
  for (const uri of data.redirect_uris) {
    const fault = uriFault(uri);
    if (fault !== undefined) throw new OAuthError('invalid_redirect_uri', `redirect_uris: ${fault}`);
  }
  if (!data.grant_types.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'grant_types: must include authorization_code');
  if (!data.response_types.includes('code'))
    throw new OAuthError('invalid_client_metadata', 'response_types: must include code');
  return data;
}

/** Rejects user names, which make a URI look like one of another host. */
function uriFault(uri: string): string | undefined {
  const fault = redirectUriFault(uri);
  if (fault !== undefined) return fault;
  const { username, password } = new URL(uri);
  return username === '' && password === '' ? undefined : 'user name not allowed in redirect URI';
}

const prefix = 'plinth-';

const clientIdOf = (clientName: string, uris: readonly string[]): string =>
  prefix + Buffer.from(JSON.stringify([clientName, uris])).toString('base64url');

const idContent = z.tuple([name, redirectUris]);

/** Returns the client with this ID. Returns undefined if the registration endpoint would never return this ID. */
export function parseClientId(id: string): OAuthClient | undefined {
  if (id.length > maxClientIdLength || !/^plinth-[\w-]+$/.test(id)) return undefined;
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(id.slice(prefix.length), 'base64url').toString());
  } catch {
    return undefined;
  }
  const { success, data } = idContent.safeParse(content);
  if (!success) return undefined;
  const [clientName, uris] = data;
  // Each client has exactly one ID, because grants belong to an ID.
  if (clientIdOf(clientName, uris) !== id || uris.some((uri) => uriFault(uri) !== undefined))
    return undefined;
  return { id, name: clientName, redirectUris: uris };
}

/** Whether the client has registered the URI. Programs on the user's machine can use any port. */
export const isRegistered = ({ redirectUris: uris }: OAuthClient, uri: string): boolean =>
  uriFault(uri) === undefined && matchesRegistered(uris, uri);

/**
 * Returns the part of a redirect URI that shows an operator who receives the authorization code.
 * @example destinationOf('https://app.example.com/callback') // 'app.example.com'
 * @example destinationOf('cursor://anysphere.cursor-mcp/callback') // 'cursor://anysphere.cursor-mcp'
 */
export function destinationOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'http:' || protocol === 'https:' ? host : `${protocol}//${host}`;
}
