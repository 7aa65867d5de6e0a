/**
 * Forwards an upgrade request (WebSocket) to a worker. If the function accepts the upgrade, the two sockets are
 * connected. Otherwise, the response is forwarded and the connection is closed, because the caller's next request might
 * be for a different function and must pass through the gateway.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { STATUS_CODES, request as sendRequest } from '../kernel/http.ts';
import { rawHead } from '../shared/response-head.ts';
import { hopByHop, hostOf } from './core/headers.ts';
import type { Worker } from './deno/worker.ts';
import { FunctionError } from './errors.ts';
import { reasonOf } from './proxy.ts';

/**
 * Resolves when the connection is closed, with the status of the function's response, or with undefined if the caller
 * disconnected first.
 * @throws {FunctionError} worker or limit, if no response had begun
 */
export async function forwardUpgrade(
  worker: Worker,
  path: string,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<number | undefined> {
  // The caller disconnected while a worker was starting, so no `close` event will follow.
  if (socket.destroyed) return undefined;
  const offer = sendRequest({
    socketPath: worker.socketPath,
    method: request.method,
    path,
    headers: offerHeaders(request),
    agent: false,
  });
  const leave = (): void => void offer.destroy();
  socket.once('close', leave);
  try {
    const { answer, upstream, early } = await responseTo(offer);
    if (upstream === undefined) {
      socket.write(headOf(answer, [...endToEnd(answer.rawHeaders), 'Connection', 'close']));
      await passOn(answer, socket);
    } else {
      socket.once('close', () => upstream.destroy());
      socket.write(headOf(answer, answer.rawHeaders));
      socket.write(early);
      upstream.write(head);
      socket.pipe(upstream);
      await passOn(upstream, socket);
    }
    return answer.statusCode;
  } catch (error) {
    if (socket.destroyed) return undefined;
    throw new FunctionError(await reasonOf(error, worker), { cause: error, details: worker.lastErrors });
  } finally {
    socket.off('close', leave);
  }
}

interface UpgradeResponse {
  readonly answer: IncomingMessage;
  /** The connection to the worker and the bytes already read from it, if the function accepted the upgrade. */
  readonly upstream?: Duplex;
  readonly early?: Buffer;
}

function responseTo(offer: ClientRequest): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    offer.once('upgrade', (answer, upstream, early) => resolve({ answer, upstream, early }));
    offer.once('response', (answer) => resolve({ answer }));
    offer.on('error', reject);
    offer.end();
  });
}

/**
 * Resolves when the source has ended. The socket closes once the last bytes are written, however slowly the client
 * reads them.
 */
function passOn(source: Readable, socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    // A `close` event follows.
    source.on('error', () => undefined);
    source.once('close', () => {
      socket.end(() => socket.destroy());
      resolve();
    });
    source.pipe(socket);
  });
}

function offerHeaders({ headers }: IncomingMessage): string[] {
  const lines = ['host', hostOf(headers)];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'host') continue;
    for (const item of Array.isArray(value) ? value : [value]) lines.push(name, item);
  }
  return lines;
}

function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

const headOf = ({ statusCode = 502 }: IncomingMessage, headers: readonly string[]): string =>
  rawHead(statusCode, STATUS_CODES[statusCode] ?? '', headers);
