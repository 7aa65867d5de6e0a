/** The handshake: selects the key and version, and formats rejections. */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpgradeCaller } from '../../kernel/service.ts';
import type { Keys } from '../../keys/types.ts';
import { rawHead } from '../../shared/response-head.ts';
import type { Version } from '../core/frame.ts';
import { checkToken, cleanToken, isSecret } from '../core/token.ts';
import { type HandshakeRefusal, handshakeRefusalOf, handshakeRefusals } from '../errors.ts';
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
  /** Rejects all handshakes from now on. */
  stop(): void;
}

export function createUpgrades(context: SocketContext, path: string): Upgrades {
  const { log, limits, clock } = context;
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    clientTracking: false,
  });
  const delayed = new Set<NodeJS.Timeout>();
  let stopping = false;

  const refuse = (socket: Duplex, refusal: HandshakeRefusal, delayMs: number): void => {
    const timer = setTimeout(() => {
      delayed.delete(timer);
      sendRefusal(socket, refusal);
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
        sendRefusal(socket, { status: 404, error: 'Not found' });
        return;
      }
      const judged = stopping
        ? handshakeRefusals.stopping
        : judge(request, url.searchParams, mayUseSecretKeys);
      if ('error' in judged) {
        log.debug({ status: judged.status, error: judged.error }, 'rejected a handshake');
        refuse(socket, judged, limits.connectErrorDelayMs);
        return;
      }
      const release = judged.isAnonymous ? context.anonymous.take(address) : () => undefined;
      if (release === undefined) {
        refuse(socket, handshakeRefusals.tooManyAnonymous, limits.connectErrorDelayMs);
        return;
      }
      // Also runs if the handshake fails.
      socket.once('close', release);
      server.handleUpgrade(request, socket, head, (webSocket: WebSocket) => {
        new Connection(webSocket, context, {
          version: versionOf(url.searchParams.get('vsn')),
          token: judged.token,
          headersJson: xHeaders(request),
          mayUseSecretKeys,
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

  function judge(
    request: IncomingMessage,
    query: URLSearchParams,
    mayUseSecretKeys: boolean,
  ): { token: string; isAnonymous: boolean } | HandshakeRefusal {
    const header = request.headers['x-api-key'];
    const given = (Array.isArray(header) ? header[0] : header) ?? query.get('apikey');
    if (!given) return handshakeRefusals.missingKey;
    const token = tokenOfKey(context.keys, cleanToken(given));
    const judged = checkToken(context.keys.verify(token), clock.now());
    if (!judged.ok) return handshakeRefusalOf(judged.fault);
    if (!mayUseSecretKeys && isSecret(judged.caller)) return handshakeRefusals.secretKey;
    if (context.connections.size >= limits.maxConcurrentUsers) return handshakeRefusals.tooManyUsers;
    if (context.joins.perSecond(context.uptime()) > limits.maxJoinsPerSecond)
      return handshakeRefusals.tooManyJoins;
    return { token, isAnonymous: judged.caller.role === 'anon' };
  }
}

/** Maps `sb_` keys to the JWTs for their roles. */
export function tokenOfKey(keys: Keys, key: string): string {
  if (equals(key, keys.publishableKey)) return keys.anonKey;
  if (equals(key, keys.secretKey)) return keys.serviceRoleKey;
  const kind = keys.kindOfApiKey(key);
  if (kind !== undefined) return kind === 'secret' ? keys.serviceRoleKey : keys.anonKey;
  return key;
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Phoenix selects the serializer by major version. */
function versionOf(vsn: string | null): Version {
  return vsn?.startsWith('2.') ? '2.0.0' : '1.0.0';
}

/** Returns the headers that policies read as `request.headers`. */
function xHeaders({ headers }: IncomingMessage): string {
  const shown = Object.entries(headers).filter(([name]) => name.startsWith('x-'));
  return JSON.stringify(Object.fromEntries(shown));
}

function sendRefusal(socket: Duplex, { status, error }: HandshakeRefusal): void {
  const body = JSON.stringify({ error });
  const head = rawHead(status, statusTexts[status] ?? 'Error', [
    ...['Content-Type', 'application/json; charset=utf-8'],
    ...['Content-Length', Buffer.byteLength(body)],
    ...['Connection', 'close'],
  ]);
  socket.end(head + body);
}
