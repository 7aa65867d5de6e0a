/**
 * Detects clients that occupy a connection while barely using it: a body that arrives very slowly, or a response that
 * is barely read. The average over a window is measured, and only time spent waiting for the client counts. A slow
 * line, a short pause or a slow service never ends a request.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rawAnswer } from './client-error.ts';

export interface PaceLimits {
  /** The minimum rate of a request body and of a response. */
  readonly minBytesPerSecond: number;
  readonly bodyWindowMs: number;
  /** Longer because players and browsers stop reading while their buffer is full. */
  readonly answerWindowMs: number;
}

export interface Pace {
  /** Called for each request. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  stop(): void;
}

interface Watched {
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  readonly body: Window;
  readonly answer: Window;
}

/** The number of checks of each connection per window. */
const looksPerWindow = 12;

const tooSlow = rawAnswer(408, {
  code: 'request_timeout',
  message: 'The request arrived too slowly and was given up.',
});

export function watchPace(server: Server, limits: PaceLimits): Pace {
  const { bodyWindowMs, answerWindowMs, minBytesPerSecond } = limits;
  const open = new Map<Socket, Watched>();
  server.on('connection', (socket: Socket) => {
    const watched = {
      request: undefined,
      response: undefined,
      body: new Window(bodyWindowMs, minBytesPerSecond),
      answer: new Window(answerWindowMs, minBytesPerSecond),
    };
    open.set(socket, watched);
    socket.once('close', () => open.delete(socket));
  });
  // After an upgrade, the socket's service is responsible for it.
  server.on('upgrade', (_request, socket: Socket) => open.delete(socket));

  const look = (): void => {
    const now = performance.now();
    for (const [socket, { request, response, body, answer }] of open) {
      if (request === undefined || response === undefined) continue;
      if (isSlowBody(request, body, now)) giveUp(socket, response);
      else if (isSlowReader(socket, response, answer, now)) socket.destroy();
    }
  };
  const timer = setInterval(look, Math.min(bodyWindowMs, answerWindowMs) / looksPerWindow);
  timer.unref();
  return {
    watch(request, response) {
      const watched = open.get(request.socket);
      if (watched === undefined) return;
      watched.request = request;
      watched.response = response;
      watched.body.begin();
      watched.answer.begin();
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Whether a request body is too slow. Data that has arrived but hasn't been read is waiting for the service, not for
 * the client.
 */
function isSlowBody(request: IncomingMessage, window: Window, now: number): boolean {
  if (request.complete || request.destroyed) return false;
  return window.isTooSlow(request.readableLength === 0, request.socket.bytesRead, now);
}

/** Whether a response is read too slowly. Data that the kernel hasn't accepted is waiting for the client. */
function isSlowReader(socket: Socket, response: ServerResponse, window: Window, now: number): boolean {
  if (response.writableFinished) return false;
  const { bytesWritten, writeQueueSize } = queueOf(socket);
  return window.isTooSlow(writeQueueSize > 0, bytesWritten - writeQueueSize, now);
}

/** The number of bytes passed to libuv, and the number that libuv hasn't sent yet. */
interface WriteQueue {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/**
 * Returns the queue of a socket. A socket reports a large write only when all of it has been sent, so the handle is
 * read instead, as in Node's own timeouts. The handle isn't documented. `test/security/slow-clients.test.ts` fails if
 * it is missing.
 */
function queueOf(socket: Socket & { readonly _handle?: WriteQueue | null }): WriteQueue {
  return socket._handle ?? { bytesWritten: 0, writeQueueSize: 0 };
}

function giveUp(socket: Socket, response: ServerResponse): void {
  if (!response.headersSent && socket.writable) socket.write(tooSlow);
  socket.destroySoon();
}

class Window {
  readonly #lengthMs: number;
  readonly #bytesPerSecond: number;
  #beganAt: number | undefined;
  #bytesThen = 0;

  constructor(lengthMs: number, bytesPerSecond: number) {
    this.#lengthMs = lengthMs;
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Starts with the next check. */
  begin(): void {
    this.#beganAt = undefined;
  }

  /** @param bytes The number of bytes transferred on this connection so far. */
  isTooSlow(waitsForClient: boolean, bytes: number, now: number): boolean {
    if (waitsForClient && this.#beganAt !== undefined) {
      const passedMs = now - this.#beganAt;
      if (passedMs < this.#lengthMs) return false;
      if (bytes - this.#bytesThen < (this.#bytesPerSecond * passedMs) / 1000) return true;
    }
    this.#beganAt = now;
    this.#bytesThen = bytes;
    return false;
  }
}
