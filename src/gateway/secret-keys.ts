/**
 * Secret keys are refused for requests of a web page of another origin, on every service: the `sb_secret_` keys, and tokens of
 * `service_role` such as the legacy key. As the hosted service does for `sb_secret_` keys, there by the User-Agent.
 */
import type { IncomingMessage } from 'node:http';
import { isFromOtherOrigin, isPrivateHost } from '../kernel/foreign-page.ts';
import type { Keys } from '../keys/types.ts';

export interface SecretKeyRule {
  /** No secret key may be used by whoever sends it. */
  forbids(request: Pick<IncomingMessage, 'headers'>): boolean;
  /** It is forbidden, and there is one. */
  refuses(request: Pick<IncomingMessage, 'headers' | 'url'>): boolean;
}

export interface SecretKeyOptions {
  readonly keys: Pick<Keys, 'secretKey' | 'kindOfApiKey' | 'verifyOwn'>;
  /** The keys are those of every local stack: any page knows them, under whatever name it reached this machine. */
  readonly areKnown: boolean;
  /** Besides private ones, the names this server goes by. */
  readonly ownHosts: () => readonly string[];
  /** True: nobody is refused. */
  readonly isOff: boolean;
}

export const secretKeyRefusal = {
  status: 401,
  body: {
    code: 'secret_key_in_browser',
    message: 'Forbidden use of secret API key in browser',
    hint: 'A web page of another origin sent this request. Use the publishable key there, and secret keys on servers only. To allow it: browser_secret_keys = true under [server] of plinth.toml.',
  },
} as const;

export function createSecretKeyRule({ keys, areKnown, ownHosts, isOff }: SecretKeyOptions): SecretKeyRule {
  const isSecret = (given: string): boolean => {
    if (given === keys.secretKey || keys.kindOfApiKey(given) === 'secret') return true;
    if (!given.includes('.')) return false;
    const verified = keys.verifyOwn(given);
    return verified.ok && verified.claims.role === 'service_role';
  };
  const forbids: SecretKeyRule['forbids'] = ({ headers }) => {
    if (isOff) return false;
    if (isFromOtherOrigin(headers)) return true;
    return (
      areKnown && !isPrivateHost(headers.host) && !ownHosts().includes(headers.host?.toLowerCase() ?? '')
    );
  };
  return {
    forbids,
    refuses: (request) => forbids(request) && keysIn(request).some(isSecret),
  };
}

/** Wherever a key is accepted: the headers, and the address for sockets. */
function keysIn({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): string[] {
  const query = url.includes('apikey=') ? new URL(url, 'http://localhost').searchParams.getAll('apikey') : [];
  const credentials = headers.authorization?.split(/\s+/) ?? [];
  const given = [headers.apikey, headers['x-api-key'], ...credentials, ...query].flat();
  return given.filter((key) => key !== undefined).flatMap((key) => [key, plainly(key)]);
}

/** Some services read a key that is written in percent signs, or broken by spaces. */
function plainly(key: string): string {
  try {
    return decodeURIComponent(key).replace(/\s/g, '');
  } catch {
    return key.replace(/\s/g, '');
  }
}
