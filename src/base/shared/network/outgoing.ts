/**
 * Sends requests that the server makes itself, for example to webhooks and to identity providers for their metadata and
 * key sets. The duration of a request, the response size and the reachable addresses are limited. Only https is
 * allowed, except that in development, plain http is allowed to configured addresses on this machine.
 *
 * A *configured* address was chosen by the operator and may be in a private network. A *public* address was supplied by
 * someone else (in an API call or a document from the network), so its name must resolve only to public addresses. The
 * addresses are checked when the connection is opened, so DNS rebinding doesn't bypass the check.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { request as httpRequest } from '../../kernel/http.ts';
import { headerText } from '../http/header-text.ts';
import { type AddressScope, createPublicLookup, type Resolve, scopeOf } from './address-scope.ts';

export type Reach = 'configured' | 'public';

export interface OutgoingRequest {
  readonly url: string;
  readonly reach: Reach;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time limit for the whole exchange, including redirects. The default is 10 s. */
  readonly timeoutMs?: number;
  /**
   * The number of redirects that a GET request follows. Each redirect is checked like the first address. Defaults to 0.
   */
  readonly redirects?: number;
}

interface OutgoingResponse {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The destination of a redirect that the request didn't follow. */
  readonly location?: string | undefined;
}

export interface Outgoing {
  /**
   * Sends a request and returns the response.
   * @throws {OutgoingError} if the address isn't allowed, or the response arrives too late or is too large
   */
  send(request: OutgoingRequest): Promise<OutgoingResponse>;
  /** Checks an address before it is stored. @throws {OutgoingError} with the reason if the address isn't allowed */
  requirePublic(url: string): Promise<void>;
}

export type AddressFault =
  | 'format'
  | 'scheme'
  | 'hostname'
  | 'localhost'
  | 'unresolved'
  | Exclude<AddressScope, 'public'>;

export class OutgoingError extends Error {
  /** The rule that the requested address violates. Undefined if the address is allowed but the exchange failed. */
  readonly fault: AddressFault | undefined;

  constructor(message: string, fault?: AddressFault, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
    this.fault = fault;
  }
}

const outgoingTimeoutMs = 10_000;
const maxResponseBytes = 1_048_576;

interface OutgoingOptions {
  readonly mode: 'development' | 'production';
  /** Resolves names to addresses. Defaults to the system's resolver. */
  readonly resolve?: Resolve;
}

export function createOutgoing({ mode, resolve }: OutgoingOptions): Outgoing {
  const publicLookup = createPublicLookup({
    resolve,
    refusal: notPublic,
    unresolved: (host, error) => new OutgoingError(`${host} can't be resolved`, 'unresolved', error),
  });
  return {
    async send(request) {
      const signal = AbortSignal.timeout(request.timeoutMs ?? outgoingTimeoutMs);
      let url = request.url;
      for (let left = request.redirects ?? 0; ; left--) {
        const response = await sendOnce({ ...request, url }, mode, publicLookup, signal);
        const target = response.location;
        if (target === undefined || left <= 0 || request.method === 'POST') return response;
        if (!URL.canParse(target, url))
          throw new OutgoingError(`${url} redirects without a destination`, 'format');
        url = new URL(target, url).href;
      }
    },
    async requirePublic(text) {
      const url = checkUrl(text, 'public', mode);
      await lookUp(publicLookup, bareHost(url));
    },
  };
}

/** Performs the checks that don't require name resolution. */
function checkUrl(text: string, reach: Reach, mode: OutgoingOptions['mode']): URL {
  if (!URL.canParse(text)) throw new OutgoingError(`not an address: ${text}`, 'format');
  const url = new URL(text);
  const host = bareHost(url);
  if (host === '') throw new OutgoingError(`no host in ${text}`, 'hostname');
  const isLocal = isLocalName(host) || scopeOf(host) === 'loopback';
  const isPlainAllowed = mode === 'development' && reach === 'configured' && isLocal;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPlainAllowed)) {
    throw new OutgoingError(`${url.origin} doesn't use https`, 'scheme');
  }
  if (reach === 'configured') return url;
  if (isLocalName(host) || ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) {
    throw new OutgoingError(`${host} is this machine`, 'localhost');
  }
  if (isIP(host) !== 0) requireScope(host);
  return url;
}

/** Returns the host in the form that `net` expects, without the brackets around an IPv6 address. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

function requireScope(address: string): void {
  const scope = scopeOf(address);
  if (scope !== 'public') throw notPublic(address, scope);
}

const notPublic = (address: string, scope: Exclude<AddressScope, 'public'>): OutgoingError =>
  new OutgoingError(`${address} is not a public address`, scope);

function lookUp(publicLookup: LookupFunction, host: string): Promise<void> {
  return new Promise((done, fail) => {
    publicLookup(host, { all: true }, (error) => (error === null ? done() : fail(error)));
  });
}

function sendOnce(
  request: OutgoingRequest,
  mode: OutgoingOptions['mode'],
  publicLookup: LookupFunction,
  signal: AbortSignal,
): Promise<OutgoingResponse> {
  const url = checkUrl(request.url, request.reach, mode);
  // The TLS module is loaded on first use.
  const send = url.protocol === 'https:' ? process.getBuiltinModule('node:https').request : httpRequest;
  return new Promise((done, fail) => {
    const failed = (cause: Error): void =>
      fail(
        cause instanceof OutgoingError
          ? cause
          : new OutgoingError(`${url.origin} didn't respond`, undefined, cause),
      );
    const sent = send(
      url,
      {
        method: request.method ?? 'GET',
        headers: {
          accept: 'application/json',
          'user-agent': 'plinth',
          ...request.headers,
          ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        },
        signal,
        // Each request uses a new connection because a connection to a configured address must not be reused for a
        // public address.
        agent: false,
        ...(request.reach === 'public' ? { lookup: publicLookup } : {}),
      },
      (response) => readResponse(response).then(done, failed),
    );
    sent.on('error', failed);
    refuseTunnel(sent, failed);
    sent.end(request.body);
  });
}

async function readResponse(response: IncomingMessage): Promise<OutgoingResponse> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The exception exits the loop, which destroys the connection.
    if (size > maxResponseBytes)
      throw new OutgoingError(`the response is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  const status = response.statusCode ?? 0;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  const { location } = response.headers;
  return {
    status,
    contentType: response.headers['content-type'] ?? '',
    text: Buffer.concat(chunks).toString('utf8'),
    location: isRedirect && location !== undefined ? headerText(location) : undefined,
  };
}

/**
 * Calls `fail` if the server sends status 101, or a success status in response to CONNECT. Without a listener for these
 * events, Node.js closes the connection without an event, and even a timeout wouldn't end the request.
 */
export function refuseTunnel(request: ClientRequest, fail: (error: Error) => void): void {
  const refuse = (_response: IncomingMessage, socket: Duplex): void => {
    socket.destroy();
    fail(new Error('the server switched to another protocol'));
  };
  request.once('upgrade', refuse).once('connect', refuse);
}
