/**
 * Clients that keep a connection by hardly using it: a body that trickles in, an answer that is hardly read. What counts is the
 * average over a window in which only the client was waited for, so that neither a slow line nor a pause of moments, nor a
 * service that takes its time, ends a request.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rawAnswer } from './client-error.ts';

export interface PaceLimits {
  /** Of a body on its way in, and of an answer on its way out. */
  readonly minBytesPerSecond: number;
  readonly bodyWindowMs: number;
  /** Longer: players and browsers stop reading while what they have is enough. */
  readonly answerWindowMs: number;
}

export interface Pace {
  /** Told of each request. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  stop(): void;
}

interface Watched {
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  readonly body: Window;
  readonly answer: Window;
}

/** Looks at each connection so often in a window. */
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
  // Its service looks after a socket that was handed over.
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

/** What has come and isn't read yet waits for its service, not for the client. */
function isSlowBody(request: IncomingMessage, window: Window, now: number): boolean {
  if (request.complete || request.destroyed) return false;
  return window.isTooSlow(request.readableLength === 0, request.socket.bytesRead, now);
}

/** What the kernel hasn't taken waits for the client. */
function isSlowReader(socket: Socket, response: ServerResponse, window: Window, now: number): boolean {
  if (response.writableFinished) return false;
  const { bytesWritten, writeQueueSize } = queueOf(socket);
  return window.isTooSlow(writeQueueSize > 0, bytesWritten - writeQueueSize, now);
}

/** Bytes given to libuv, and those of them that it still has. */
interface WriteQueue {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

/**
 * The socket itself tells of a large write only when all of it is gone. Node's own timeouts look at the handle for the same
 * reason; it isn't documented, and `test/security/slow-clients.test.ts` fails without it.
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

  /** With the next look. */
  begin(): void {
    this.#beganAt = undefined;
  }

  /** @param bytes so far, on this connection. */
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
