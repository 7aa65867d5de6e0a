/** Handles the handshake: selects the key and the protocol version, and formats rejections. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeCaller } from '../../../base/kernel/service.ts';
import { rawHead } from '../../../base/shared/http/response-head.ts';
import { hideSecretKeys } from '../../../base/shared/printable.ts';
import type { Version } from '../core/frame.ts';
import { checkToken, cleanToken, isSecret, tokenOfKey } from '../core/token.ts';
import { type HandshakeRejection, handshakeRejectionOf, handshakeRejections } from '../errors.ts';
import { maxFrameBytes } from '../settings.ts';
import { Connection } from './connection.ts';
import type { SocketContext } from './context.ts';

const statusTexts: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

export interface Upgrades {
  handle(request: IncomingMessage, socket: Duplex, head: Buffer, caller: UpgradeCaller): void;
  /** Rejects all subsequent handshakes. */
  stop(): void;
}

export function createUpgrades(ctx: SocketContext, path: string): Upgrades {
  const { log, clock } = ctx;
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    clientTracking: false,
  });
  const delayed = new Set<NodeJS.Timeout>();
  let stopping = false;

  const refuse = (socket: Duplex, rejection: HandshakeRejection, delayMs: number): void => {
    const timer = setTimeout(() => {
      delayed.delete(timer);
      sendRejection(socket, rejection);
    }, delayMs);
    delayed.add(timer);
    socket.once('close', () => {
      clearTimeout(timer);
      delayed.delete(timer);
    });
  };

  return {
    handle(request, socket, head, { address, mayUseSecretKeys }) {
      socket.on('error', (error) =>
        log.debug({ error: error.message }, 'socket failed during its handshake'),
      );
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (url.pathname !== path) {
        sendRejection(socket, { status: 404, error: 'Not found' });
        return;
      }
      const result = stopping
        ? handshakeRejections.stopping
        : checkUpgrade(request, url.searchParams, mayUseSecretKeys);
      if ('error' in result) {
        log.debug({ status: result.status, error: result.error }, 'rejected a handshake');
        refuse(socket, result, ctx.limits.connectErrorDelayMs);
        return;
      }
      const release = result.isAnonymous ? ctx.anonymous.take(address) : () => undefined;
      if (release === undefined) {
        refuse(socket, handshakeRejections.tooManyAnonymous, ctx.limits.connectErrorDelayMs);
        return;
      }
      // The `close` event is also emitted if the handshake fails.
      socket.once('close', release);
      server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
        new Connection(webSocket, ctx, {
          version: versionOf(url.searchParams.get('vsn')),
          key: result.key,
          token: result.token,
          headersJson: xHeaders(request),
          mayUseSecretKeys,
          address,
          onUser: release,
        });
      });
    },
    stop() {
      stopping = true;
      for (const timer of delayed) clearTimeout(timer);
      delayed.clear();
      server.close();
    },
  };

  function checkUpgrade(
    request: IncomingMessage,
    query: URLSearchParams,
    mayUseSecretKeys: boolean,
  ): { key: string; token: string; isAnonymous: boolean } | HandshakeRejection {
    const header = request.headers['x-api-key'];
    const given = (Array.isArray(header) ? header[0] : header) ?? query.get('apikey');
    if (!given) return handshakeRejections.missingKey;
    const key = cleanToken(given);
    const token = tokenOfKey(ctx.keys, key);
    const result = checkToken(ctx.keys.verify(token), clock.now());
    if (!result.ok) return handshakeRejectionOf(result.fault);
    if (!mayUseSecretKeys && isSecret(result.caller)) return handshakeRejections.secretKey;
    if (ctx.connections.size >= ctx.limits.maxConcurrentUsers) return handshakeRejections.tooManyUsers;
    if (ctx.joins.perSecond(ctx.uptime()) > ctx.limits.maxJoinsPerSecond)
      return handshakeRejections.tooManyJoins;
    return { key, token, isAnonymous: result.caller.role === 'anon' };
  }
}

/** Phoenix selects the serializer by major version. */
function versionOf(vsn: string | null): Version {
  return vsn?.startsWith('2.') ? '2.0.0' : '1.0.0';
}

/** Returns the headers that policies read as `request.headers`, without the secret part of a secret key. */
function xHeaders({ headers }: IncomingMessage): string {
  const shown = Object.entries(headers).filter(([name]) => name.startsWith('x-'));
  return hideSecretKeys(JSON.stringify(Object.fromEntries(shown)));
}

function sendRejection(socket: Duplex, { status, error }: HandshakeRejection): void {
  const body = JSON.stringify({ error });
  const head = rawHead(status, statusTexts[status] ?? 'Error', [
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', Buffer.byteLength(body)],
    ...['Connection', 'close'],
  ]);
  socket.end(head + body);
}
