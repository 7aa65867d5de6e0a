/**
 * Forwards an upgrade request (WebSocket) to a worker. If the function accepts the upgrade, the client's socket is
 * connected to the worker's socket. If the function rejects the upgrade, its response is forwarded and the client's
 * connection is closed. The connection can't be reused, because the client's next request must pass through the gateway
 * and might be for a different function.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { STATUS_CODES, request as sendRequest } from '../../base/kernel/http.ts';
import { rawHead } from '../../base/shared/http/response-head.ts';
import { hopByHop, hostOf } from './core/headers.ts';
import type { Worker } from './deno/worker.ts';
import { FunctionError } from './errors.ts';
import { reasonOf } from './proxy.ts';

/** A client's upgrade request. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The bytes that the client sent after the request. */
  readonly head: Buffer;
}

/**
 * Resolves when the connection is closed. The resolved value is the status of the function's response, or undefined if
 * the client disconnected first.
 * @throws {FunctionError} worker or limit, if the request failed before the response began
 */
export async function forwardUpgrade(
  worker: Worker,
  path: string,
  { request, socket, head }: Upgrade,
): Promise<number | undefined> {
  // If the client disconnected while a worker was starting, the `close` event has already been emitted.
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
   * The connection to the worker, which is set if the function accepted the upgrade. `early` contains the bytes that
   * were already read from this connection.
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
 * Forwards data from `source` to `socket`, and resolves when the source has ended. The client's socket is closed after
 * the last bytes have been written to it, even if the client reads slowly.
 */
function passOn(source: Readable, socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    // An `error` event is followed by a `close` event, which is handled below.
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
