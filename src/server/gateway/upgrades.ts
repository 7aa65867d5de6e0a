/**
 * Dispatches each WebSocket request to the service that is mounted at the request's path. Any other upgrade request is
 * handled as a plain request.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount } from '../../base/kernel/service.ts';
import { withoutOwnCookies } from '../../base/shared/http/response-head.ts';
import type { Admission } from './admission.ts';
import { type ApiKeyRule, applyApiKey } from './api-keys.ts';
import { rawResponse } from './client-error.ts';
import type { Overload } from './overload.ts';
import { findMount, pathOf } from './paths.ts';
import { type SecretKeyRule, secretKeyRejection } from './secret-keys.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Whether the request is a WebSocket request for a service that accepts WebSockets. The upgrade headers of all other
 * requests are ignored, as RFC 9110 section 7.8 allows.
 */
export function isUpgradable(
  mounts: readonly Mount[],
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): boolean {
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
  return findMount(mounts, pathOf(request.url ?? '/'))?.upgrade !== undefined;
}

export interface UpgradeRules {
  readonly apiKeys: ApiKeyRule;
  readonly secretKeys: SecretKeyRule;
  readonly proxies: TrustedProxies;
  readonly admission: Admission;
  /** If undefined, upgrades are never rejected because of overload. */
  readonly overload: Overload | undefined;
  readonly stripForwarding: (request: IncomingMessage) => void;
  readonly log: Logger;
}

/**
 * Dispatches upgrade requests. Returns the upgraded sockets that are still open, because Node's server no longer tracks
 * them.
 */
export function dispatchUpgrades(
  server: Server,
  mounts: readonly Mount[],
  { apiKeys, secretKeys, proxies, admission, overload, stripForwarding, log }: UpgradeRules,
): ReadonlySet<Duplex> {
  const open = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without this handler, a reset would end the process until the socket's new owner adds its own handlers.
    socket.on('error', (error) => log.debug({ error: error.message }, 'socket failed during an upgrade'));
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const start = (): void => begin(request, socket, head);
    if (overload === undefined) start();
    else overload.upgrade(request, socket, start);
  });

  function begin(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const mount = findMount(mounts, pathOf(request.url ?? '/'));
    try {
      stripForwarding(request);
      hideOwnCookies(request);
      const rejection = admission.admit(request, socket);
      if (rejection !== undefined) {
        socket.end(rawResponse(rejection.status, rejection.body));
        return;
      }
      if (mount?.apiKeys) {
        if (secretKeys.refuses(request)) {
          socket.end(rawResponse(secretKeyRejection.status, secretKeyRejection.body));
          return;
        }
        // Realtime reads the key itself.
        applyApiKey(request.headers, apiKeys, { ...mount, receivesSecretKeys: true });
      }
      mount?.upgrade?.(request, socket, head, {
        address: proxies.clientOf(request) ?? '',
        mayUseSecretKeys: !secretKeys.forbids(request),
      });
    } catch (error) {
      // Logs the error, because an exception would end the process.
      log.error({ error }, 'upgrade failed');
      socket.destroy();
    }
  }
  return open;
}

/** Hides the session cookies of the Account pages and the Console from other services. */
export function hideOwnCookies({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (headers.cookie === undefined) return;
  const kept = withoutOwnCookies(headers.cookie);
  if (kept === undefined) delete headers.cookie;
  else headers.cookie = kept;
}
