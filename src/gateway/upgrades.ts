/**
 * Dispatches WebSocket requests to the service for their sub-path. Any other upgrade request is handled as a plain
 * request.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../kernel/log.ts';
import type { Mount } from '../kernel/service.ts';
import { withoutOwnCookies } from '../shared/response-head.ts';
import type { Admission } from './admission.ts';
import type { ApiKeyRule } from './api-keys.ts';
import { rawAnswer } from './client-error.ts';
import { type SecretKeyRule, secretKeyRefusal } from './secret-keys.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Returns the mount whose prefix is `path` or a parent of it. */
export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

/**
 * Whether the request is a WebSocket request for a service that accepts WebSockets. Other upgrade requests can be
 * ignored (RFC 9110 section 7.8).
 */
export function isUpgradable(
  mounts: readonly Mount[],
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): boolean {
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  return findMount(mounts, pathOf(request))?.upgrade !== undefined;
}

export interface UpgradeRules {
  readonly apiKeys: ApiKeyRule;
  readonly secretKeys: SecretKeyRule;
  readonly proxies: TrustedProxies;
  readonly admission: Admission;
  readonly stripForwarding: (request: IncomingMessage) => void;
  readonly log: Logger;
}

/** Returns the upgraded sockets that are still open, because the server itself no longer tracks them. */
export function dispatchUpgrades(
  server: Server,
  mounts: readonly Mount[],
  { apiKeys, secretKeys, proxies, admission, stripForwarding, log }: UpgradeRules,
): ReadonlySet<Duplex> {
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The socket's owner adds its own handlers. Without an error handler, a reset would end the process.
    socket.on('error', (error) => log.debug({ error: error.message }, 'socket failed during an upgrade'));
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const mount = findMount(mounts, pathOf(request));
    try {
      stripForwarding(request);
      hideOwnCookies(request);
      const refusal = admission.admit(request, (release) => void socket.once('close', release));
      if (refusal !== undefined) {
        socket.end(rawAnswer(refusal.status, refusal.body));
        return;
      }
      if (mount?.apiKeys) {
        if (secretKeys.refuses(request)) {
          socket.end(rawAnswer(secretKeyRefusal.status, secretKeyRefusal.body));
          return;
        }
        applyApiKey(request, apiKeys);
      }
      mount?.upgrade?.(request, socket, head, {
        address: proxies.clientOf(request) ?? '',
        mayUseSecretKeys: !secretKeys.forbids(request),
      });
    } catch (error) {
      // An exception here would end the process.
      log.error({ error }, 'upgrade failed');
      socket.destroy();
    }
  });
  return open;
}

const pathOf = ({ url = '/' }: Pick<IncomingMessage, 'url'>): string => url.split('?', 1)[0] ?? '/';

/** Rewrites the `Authorization` header of a raw request according to the API key rule. */
export function applyApiKey(request: Pick<IncomingMessage, 'headers'>, rule: ApiKeyRule): void {
  const { authorization, apikey } = request.headers;
  if (authorization !== undefined && !authorization.startsWith('Bearer sb_')) return;
  const substituted = rule.authorization(authorization, typeof apikey === 'string' ? apikey : undefined);
  if (substituted === undefined) delete request.headers.authorization;
  else request.headers.authorization = substituted;
}

/** Other services must not see the session cookies of the Account pages and the Console. */
export function hideOwnCookies({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers.cookie === undefined) return;
  const kept = withoutOwnCookies(headers.cookie);
  if (kept === undefined) delete headers.cookie;
  else headers.cookie = kept;
}
