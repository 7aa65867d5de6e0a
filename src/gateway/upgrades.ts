/** Upgrades (WebSockets) go to the service that owns the sub-path; anything else gets a plain HTTP answer. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../kernel/log.ts';
import type { Mount } from '../kernel/service.ts';
import type { ApiKeyRule } from './api-keys.ts';

/** The mount whose prefix is `path` or a parent of it. */
export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}

export function dispatchUpgrades(
  server: Server,
  mounts: readonly Mount[],
  apiKeys: ApiKeyRule,
  log: Logger,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Whoever owns the socket adds handlers of its own; without any, a reset would end the process.
    socket.on('error', (error) => log.debug({ error: error.message }, 'socket failed during an upgrade'));
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const mount = findMount(mounts, path);
    if (mount?.upgrade === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    if (mount.apiKeys) applyApiKey(request, apiKeys);
    mount.upgrade(request, socket, head);
  });
}

/** Rewrites the `Authorization` of a raw request by the gateway rule. */
export function applyApiKey(request: Pick<IncomingMessage, 'headers'>, rule: ApiKeyRule): void {
  const { authorization, apikey } = request.headers;
  if (authorization !== undefined && !authorization.startsWith('Bearer sb_')) return;
  const substituted = rule.authorization(authorization, typeof apikey === 'string' ? apikey : undefined);
  if (substituted === undefined) delete request.headers.authorization;
  else request.headers.authorization = substituted;
}
