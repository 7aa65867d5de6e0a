/**
 * Rejects requests to any service that come from a web page of another origin and contain a secret key. Secret keys are
 * `sb_secret_` keys and tokens with the role `service_role`, such as the legacy key. The hosted service also rejects
 * `sb_secret_` keys from browsers, and recognizes browsers by their User-Agent.
 */
import type { IncomingMessage } from 'node:http';
import { isFromOtherOrigin, isPrivateHost } from '../../base/kernel/request-origin.ts';
import type { Keys } from '../../platform/keys/types.ts';

export interface SecretKeyRule {
  /** Whether the sender isn't allowed to use secret keys. */
  forbids(request: Pick<IncomingMessage, 'headers'>): boolean;
  /** Whether the sender isn't allowed to use secret keys but sent one. */
  refuses(request: Pick<IncomingMessage, 'headers' | 'url'>): boolean;
}

export interface SecretKeyOptions {
  readonly keys: Pick<Keys, 'secretKey' | 'kindOfApiKey' | 'verifyOwn'>;
  /**
   * Whether the keys are the local stack's public keys. Any page can send these keys, regardless of the host name that
   * the page uses for this machine.
   */
  readonly areKnown: boolean;
  /** Returns the host names of this server that are allowed in addition to private names. */
  readonly ownHosts: () => readonly string[];
  /** Whether the rule is disabled. */
  readonly isOff: () => boolean;
}

export const secretKeyRejection = {
  status: 401,
  body: {
    code: 'secret_key_in_browser',
    message: 'Forbidden use of secret API key in browser',
    hint: 'A web page from a different origin sent this request. Use the publishable key in web pages, and secret keys only on servers. To allow secret keys in web pages, set browser_secret_keys = true under [server] in plinth.toml.',
  },
} as const;

export function createSecretKeyRule({ keys, areKnown, ownHosts, isOff }: SecretKeyOptions): SecretKeyRule {
  const isSecret = (given: string): boolean => {
    if (given === keys.secretKey || keys.kindOfApiKey(given) === 'secret') return true;
    if (!given.includes('.')) return false;
    const verified = keys.verifyOwn(given);
    return verified.ok && verified.claims.role === 'service_role';
  };
  // Almost all requests have the same `Host` header.
  let lastHost: string | undefined;
  let isLastPrivate = isPrivateHost(lastHost);
  const isPrivate = (host: string | undefined): boolean => {
    if (host !== lastHost) {
      isLastPrivate = isPrivateHost(host);
      lastHost = host;
    }
    return isLastPrivate;
  };
  const forbids: SecretKeyRule['forbids'] = ({ headers }) => {
    if (isOff()) return false;
    if (isFromOtherOrigin(headers)) return true;
    return areKnown && !isPrivate(headers.host) && !ownHosts().includes(headers.host?.toLowerCase() ?? '');
  };
  return {
    forbids,
    refuses: (request) => forbids(request) && keysIn(request).some(isSecret),
  };
}

/**
 * Returns the keys in a request's headers and, for WebSockets, in its URL, because keys are accepted in all of these
 * locations.
 */
function keysIn({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string[] {
  const query = url.includes('apikey=') ? new URL(url, 'http://localhost').searchParams.getAll('apikey') : [];
  const credentials = headers.authorization?.split(/\s+/) ?? [];
  const given = [headers.apikey, headers['x-api-key'], ...credentials, ...query].flat();
  return given.filter((key) => key !== undefined).flatMap((key) => [key, plainly(key)]);
}

/**
 * Returns the key after decoding its percent-encoding and removing its spaces, because some services accept keys in
 * these forms.
 */
function plainly(key: string): string {
  try {
    return decodeURIComponent(key).replace(/\s/g, '');
  } catch {
    return key.replace(/\s/g, '');
  }
}
