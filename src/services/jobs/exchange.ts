/**
 * Sends an HTTP request on behalf of SQL code. The duration of the exchange and the size of the response are limited.
 * Redirects are followed as in curl, because the upstream extensions pg_net and http use curl. The destination of each
 * redirect is checked like that of the first URL.
 */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { request as httpRequest } from '../../base/kernel/http.ts';
import { headerText } from '../../base/shared/http/header-text.ts';
import { createPublicLookup, scopeOf } from '../../base/shared/network/address-scope.ts';
import { refuseTunnel } from '../../base/shared/network/outgoing.ts';
import { type Destination, type DestinationRules, destinationOf } from './core/destination.ts';

export interface ExchangeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
  /** The time limit for the whole exchange, including redirects. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

export interface ExchangeResponse {
  readonly status: number;
  /** The headers as sent by the server. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The error for a failed exchange. The error's message is stored in the database for the caller. */
export class ExchangeError extends Error {
  override name = 'ExchangeError';
  readonly timedOut: boolean;

  constructor(message: string, timedOut = false) {
    super(message);
    this.timedOut = timedOut;
  }
}

export interface Exchanges {
  /** Sends a request and returns its response. @throws {ExchangeError} */
  send(request: ExchangeRequest, signal?: AbortSignal): Promise<ExchangeResponse>;
  /** Closes idle connections. */
  rest(): void;
}

/**
 * The maximum size of a response. Responses are stored in a column, and many requests can be pending at the same time.
 */
export const maxResponseBytes = 4 * 1024 * 1024;

export function createExchanges(rules: () => DestinationRules): Exchanges {
  // The destination of a reused connection isn't checked again. A connection is reused only for the same scheme, host
  // and port, for which the rules always return the same result.
  let agents: { readonly http: Agent; readonly https: Agent } | undefined;
  const openAgents = () => {
    const options = { keepAlive: true, timeout: 4_000, maxFreeSockets: 32, scheduling: 'lifo' } as const;
    const { Agent: HttpAgent } = process.getBuiltinModule('node:http');
    const { Agent: HttpsAgent } = process.getBuiltinModule('node:https');
    return { http: new HttpAgent(options), https: new HttpsAgent(options) };
  };

  /**
   * The request is sent again if its reused connection was closed, because the server may have closed the connection
   * while the request was in transit.
   */
  async function sendOnce(request: ExchangeRequest, to: Destination, signal: AbortSignal) {
    agents ??= openAgents();
    const agent = to.url.protocol === 'https:' ? agents.https : agents.http;
    const first = open(request, to, signal, agent);
    try {
      return await first.answer;
    } catch (error) {
      const wasClosed = first.sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (!wasClosed || signal.aborted) throw error;
      return await open(request, to, signal, false).answer;
    }
  }

  return {
    async send(request, outer) {
      const startedAt = performance.now();
      const limit = AbortSignal.timeout(request.timeoutMs);
      const signal = outer === undefined ? limit : AbortSignal.any([limit, outer]);
      try {
        let hop = request;
        for (let left = request.maxRedirects; ; left--) {
          const to = destinationOf(hop.url, rules());
          if (typeof to === 'string') throw new ExchangeError(to);
          requirePublicLiteral(to);
          const response = await sendOnce(hop, to, signal);
          const next = redirectOf(hop, response);
          if (next === undefined || request.maxRedirects === 0) return response;
          if (left === 0) throw new ExchangeError('Number of redirects hit maximum amount');
          hop = next;
        }
      } catch (error) {
        if (limit.aborted) {
          const tookMs = (performance.now() - startedAt).toFixed(0);
          throw new ExchangeError(
            `Timeout of ${request.timeoutMs} ms reached. Total time: ${tookMs} ms`,
            true,
          );
        }
        throw error instanceof ExchangeError ? error : new ExchangeError(inWords(error));
      }
    },
    rest() {
      // Closes only idle sockets because `destroy()` would also end pending requests.
      for (const { freeSockets } of agents ? [agents.http, agents.https] : [])
        for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
    },
  };
}

function open(
  request: ExchangeRequest,
  { url, host, publicOnly, isOwn }: Destination,
  signal: AbortSignal,
  agent: Agent | false,
): { sent: ClientRequest; answer: Promise<ExchangeResponse> } {
  const send = url.protocol === 'https:' ? process.getBuiltinModule('node:https').request : httpRequest;
  // The request's own `content-length` header is replaced with the body's actual length. If the stated length were too
  // small, the server would read the rest of the body as another request.
  const given = request.headers.filter(
    ([name]) => !['content-length', 'transfer-encoding'].includes(name.toLowerCase()),
  );
  // The text comes from SQL. curl, which upstream uses, also sends it as UTF-8.
  const headers = given.flatMap(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]);
  const has = (name: string): boolean => given.some(([key]) => key.toLowerCase() === name);
  if (!has('host')) headers.push('host', host);
  if (!has('accept')) headers.push('accept', '*/*');
  const { body } = request;
  // Without a content length, Node would send an empty body with chunked encoding.
  const mayBeEmpty = body === undefined && ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(request.method);
  if (!mayBeEmpty) headers.push('content-length', String(body?.length ?? 0));
  const sent = send(url, {
    method: request.method,
    headers,
    signal,
    agent,
    servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 ? url.hostname : '',
    ...(publicOnly ? { lookup: publicLookup } : {}),
    // Plinth's own certificate isn't verified because the connection stays on this machine and the certificate is
    // self-signed or issued for the public host name.
    ...(isOwn ? { rejectUnauthorized: false } : {}),
  } as Parameters<typeof send>[1]);
  const response = new Promise<ExchangeResponse>((done, fail) => {
    sent.once('response', (response) => readResponse(response).then(done, fail));
    sent.on('error', fail);
    refuseTunnel(sent, fail);
  });
  sent.end(body);
  return { sent, answer: response };
}

async function readResponse(response: IncomingMessage): Promise<ExchangeResponse> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    // Throwing exits the loop, and exiting the loop destroys the connection.
    if (sizeBytes > maxResponseBytes)
      throw new ExchangeError(`the response is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  const headers: [string, string][] = [];
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    headers.push([
      response.rawHeaders[index] as string,
      headerText(response.rawHeaders[index + 1] as string),
    ]);
  }
  return { status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
}

/**
 * Returns the next request after a redirect, following the rules of curl's CURLOPT_FOLLOWLOCATION. After a response
 * with the status 301, 302 or 303, a POST request is followed by a GET request. Credentials are sent only to the same
 * origin.
 */
function redirectOf(request: ExchangeRequest, response: ExchangeResponse): ExchangeRequest | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  if (location === undefined || !URL.canParse(location, request.url)) return undefined;
  const url = new URL(location, request.url);
  const leavesOrigin = url.origin !== new URL(request.url).origin;
  const becomesGet = response.status <= 303 && request.method === 'POST';
  const dropped = [
    'host',
    ...(leavesOrigin ? ['authorization', 'cookie', 'apikey'] : []),
    ...(becomesGet ? ['content-type'] : []),
  ];
  return {
    ...request,
    url: url.href,
    method: becomesGet ? 'GET' : request.method,
    body: becomesGet ? undefined : request.body,
    headers: request.headers.filter(([name]) => !dropped.includes(name.toLowerCase())),
  };
}

/**
 * Throws if the URL contains a private IP address. The resolver, which checks host names, isn't called for IP
 * addresses.
 */
function requirePublicLiteral({ url, publicOnly }: Destination): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (publicOnly && isIP(host) !== 0) requirePublic(host);
}

function requirePublic(address: string): void {
  const scope = scopeOf(address);
  if (scope !== 'public') throw notPublic(address, scope);
}

const notPublic = (address: string, scope: string): ExchangeError =>
  new ExchangeError(`${address} is not a public address (${scope})`);

const publicLookup = createPublicLookup({ refusal: notPublic });

/** Returns the message for an error. Uses curl's message if possible, because users search for these messages. */
function inWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return "Couldn't resolve host name";
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return "Couldn't connect to server";
    case 'ECONNRESET':
      return 'Server returned nothing (no headers, no data)';
    case 'ERR_INVALID_CHAR':
    case 'ERR_INVALID_HTTP_TOKEN':
      return 'a header contains an invalid character';
    default:
      return message;
  }
}
