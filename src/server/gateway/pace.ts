/**
 * Detects clients that occupy a connection but barely use it, because they send a request body or read a response very
 * slowly. Measures the average rate over a period (the window) and counts only the time spent waiting for the client. A
 * request is never ended because of a short pause, a slow service or a connection that is merely slow.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestSocketEvent } from '../../base/kernel/tls.ts';
import { rawResponse } from './client-error.ts';

export interface PaceLimits {
  /** The minimum rate for request bodies and responses. */
  readonly minBytesPerSecond: number;
  readonly bodyWindowMs: number;
  /**
   * The length of the window for responses. This window is longer than the one for request bodies, because media
   * players and browsers stop reading while their buffer is full.
   */
  readonly responseWindowMs: number;
}

export interface Pace {
  watch(request: IncomingMessage, response: ServerResponse): void;
  stop(): void;
}

interface Watched {
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  readonly body: Window;
  readonly responseWindow: Window;
}

/** The number of times that each connection is checked per window. */
const looksPerWindow = 12;

const tooSlow = rawResponse(408, {
  code: 'request_timeout',
  message: 'The request arrived too slowly and was aborted.',
});

/** @param limits Returns the current limits, which also apply to open connections. */
export function watchPace(server: Server, limits: () => PaceLimits): Pace {
  const open = new Map<Socket, Watched>();
  server.on(requestSocketEvent(server), (socket: Socket) => {
    const watched = {
      request: undefined,
      response: undefined,
      body: new Window(
        () => limits().bodyWindowMs,
        () => limits().minBytesPerSecond,
      ),
      responseWindow: new Window(
        () => limits().responseWindowMs,
        () => limits().minBytesPerSecond,
      ),
    };
    open.set(socket, watched);
    socket.once('close', () => open.delete(socket));
  });
  // After an upgrade, the service that accepted the socket is responsible for slow clients.
  server.on('upgrade', (_request, socket: Socket) => open.delete(socket));

  const look = (): void => {
    const now = performance.now();
    for (const [socket, { request, response, body, responseWindow }] of open) {
      if (request === undefined || response === undefined) continue;
      if (isSlowBody(request, body, now)) giveUp(socket, response);
      else if (isSlowReader(socket, response, responseWindow, now)) socket.destroy();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const lookAgain = (): void => {
    const { bodyWindowMs, responseWindowMs } = limits();
    const delayMs = Math.min(bodyWindowMs, responseWindowMs) / looksPerWindow;
    timer = setTimeout(() => {
      look();
      lookAgain();
    }, delayMs).unref();
  };
  lookAgain();
  return {
    watch(request, response) {
      const watched = open.get(request.socket);
      if (watched === undefined) return;
      watched.request = request;
      watched.response = response;
      watched.body.begin();
      watched.responseWindow.begin();
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Whether a request body arrives too slowly. If the service hasn't read all received data yet, the connection is
 * waiting for the service and not for the client.
 */
function isSlowBody(request: IncomingMessage, window: Window, now: number): boolean {
  if (request.complete || request.destroyed) return false;
  return window.isTooSlow(request.readableLength === 0, request.socket.bytesRead, now);
}

/**
 * Whether the client reads a response too slowly. If the kernel hasn't accepted all data of the response yet, the
 * connection is waiting for the client.
 */
function isSlowReader(socket: Socket, response: ServerResponse, window: Window, now: number): boolean {
  if (response.writableFinished) return false;
  const { bytesWritten, writeQueueSize } = queueOf(socket);
  return window.isTooSlow(writeQueueSize > 0, bytesWritten - writeQueueSize, now);
}

/** The number of bytes that were passed to libuv, and the number of these bytes that libuv hasn't sent yet. */
interface WriteQueue {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/**
 * Returns the write queue of a socket. Node counts a large write only once all of its data has been sent, so this
 * function reads the socket's undocumented handle instead, as Node does for its own timeouts.
 * `test/security/slow-clients.test.ts` fails if the handle is missing.
 */
function queueOf(socket: Socket & { readonly _handle?: WriteQueue | null }): WriteQueue {
  return socket._handle ?? { bytesWritten: 0, writeQueueSize: 0 };
}

function giveUp(socket: Socket, response: ServerResponse): void {
  if (!response.headersSent && socket.writable) socket.write(tooSlow);
  socket.destroySoon();
}

class Window {
  readonly #lengthMs: () => number;
  readonly #bytesPerSecond: () => number;
  #beganAt: number | undefined;
  #bytesThen = 0;

  constructor(lengthMs: () => number, bytesPerSecond: () => number) {
    this.#lengthMs = lengthMs;
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Starts a new measurement at the next check. */
  begin(): void {
    this.#beganAt = undefined;
  }

  /** @param bytes The number of bytes that have been transferred on this connection. */
  isTooSlow(waitsForClient: boolean, bytes: number, now: number): boolean {
    if (waitsForClient && this.#beganAt !== undefined) {
      const passedMs = now - this.#beganAt;
      if (passedMs < this.#lengthMs()) return false;
      if (bytes - this.#bytesThen < (this.#bytesPerSecond() * passedMs) / 1000) return true;
    }
    this.#beganAt = now;
    this.#bytesThen = bytes;
    return false;
  }
}
