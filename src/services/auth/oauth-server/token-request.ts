/**
 * Parses the parameters and the client's credentials of a request to the token endpoint (RFC 6749 sections 2.3 and
 * 4.1.3).
 */
import { authError } from '../errors.ts';
import type { AuthMethod } from './registration.ts';

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
]);

export interface ClientCredentials {
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
