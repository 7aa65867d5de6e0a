/**
 * Forwards an upgrade request (WebSocket) to a worker. If the function accepts the upgrade, the two sockets are
 * connected. Otherwise, the response is forwarded and the connection is closed. The client's next request must pass
 * through the gateway because it might be for a different function.
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
 * Resolves when the connection is closed. The value is the status of the function's response, or undefined if the
 * client disconnected first.
 * @throws {FunctionError} worker or limit, if no response had begun
 */
export async function forwardUpgrade(
  worker: Worker,
  path: string,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<number | undefined> {
  // If the client disconnected while a worker was starting, there won't be another `close` event.
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
    const { response, upstream, early } = await responseTo(offer);
    if (upstream === undefined) {
      socket.write(headOf(response, [...endToEnd(response.rawHeaders), 'Connection', 'close']));
      await passOn(response, socket);
    } else {
      socket.once('close', () => upstream.destroy());
      socket.write(headOf(response, response.rawHeaders));
      socket.write(early);
      upstream.write(head);
      socket.pipe(upstream);
      await passOn(upstream, socket);
    }
    return response.statusCode;
  } catch (error) {
    if (socket.destroyed) return undefined;
    throw new FunctionError(await reasonOf(error, worker), { cause: error, details: worker.lastErrors });
  } finally {
    socket.off('close', leave);
  }
}

interface UpgradeResponse {
  readonly response: IncomingMessage;
  /**
   * The connection to the worker, if the function accepted the upgrade. `head` contains the bytes that were already
   * read from it.
   */
  readonly upstream?: Duplex;
  readonly early?: Buffer;
}

function responseTo(offer: ClientRequest): Promise<UpgradeResponse> {
  return new Promise((resolve, reject) => {
    offer.once('upgrade', (response, upstream, early) => resolve({ response: response, upstream, early }));
    offer.once('response', (response) => resolve({ response: response }));
    offer.on('error', reject);
    offer.end();
  });
}

/**
 * Forwards the source's data and resolves when the source has ended. The socket is closed after its last bytes have
 * been written, even if the client reads slowly.
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
