/**
 * Implements the client side of OAuth 1.0a (RFC 5849), in which clients sign their requests. Of all providers, only
 * Twitter requires OAuth 1.0a.
 */
import { createHmac } from 'node:crypto';

export interface OAuth1Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** The request token or access token. In the first step, both the token and the token's secret are empty. */
  readonly token: string;
  readonly tokenSecret: string;
}

export interface OAuth1Request {
  readonly method: 'GET' | 'POST';
  /** The URL without the query string. */
  readonly url: string;
  /** The parameters from the query string or the form. */
  readonly params: Readonly<Record<string, string>>;
  /** The protocol parameters of this step, such as `oauth_callback` or `oauth_verifier`. */
  readonly protocol?: Readonly<Record<string, string>>;
}

/** Returns the `Authorization` header for a request (RFC 5849 section 3.5.1). */
export function oauth1Header(
  credentials: OAuth1Credentials,
  request: OAuth1Request,
  nonce: string,
  nowSeconds: number,
): string {
  const protocol: Record<string, string> = {
    oauth_consumer_key: credentials.consumerKey,
    oauth_nonce: nonce,
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(nowSeconds),
    oauth_version: '1.0',
    ...(credentials.token === '' ? {} : { oauth_token: credentials.token }),
    ...request.protocol,
  };
  const base = signatureBase(request.method, request.url, { ...request.params, ...protocol });
  const key = `${percentEncode(credentials.consumerSecret)}&${percentEncode(credentials.tokenSecret)}`;
  const signed = { ...protocol, oauth_signature: createHmac('sha1', key).update(base).digest('base64') };
  const fields = Object.entries(signed).map(([name, value]) => `${name}="${percentEncode(value)}"`);
  return `OAuth ${fields.join(', ')}`;
}

/** Returns the text to sign (RFC 5849 section 3.4.1). */
export function signatureBase(method: string, url: string, params: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(params)
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    // The pairs are sorted by name before they are joined, because sorting the joined pairs would put `a%20b=` before
    // `a=`.
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  const { protocol, host, pathname } = new URL(url);
  return [method, percentEncode(`${protocol}//${host}${pathname}`), percentEncode(pairs.join('&'))].join('&');
}

/** Percent-encodes all characters except letters, digits and `-._~` (RFC 5849 section 3.6). */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
