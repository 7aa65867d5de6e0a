/**
 * Requests that the server itself sends: to identity providers, their key sets and metadata. Bounded in time and size,
 * and confined to where an address may lead. https only; plain http only to this machine, and only for addresses of
 * the configuration while developing.
 *
 * An address of the *configuration* is the operator's own word: it may lead into a private network. A *public* one was
 * named by somebody else (an API call, a document from the network): every address its name resolves to must be public,
 * at the moment of connecting, so that a name that changes its mind (DNS rebinding) gains nothing.
 */
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressScope, scopeOf } from './address-scope.ts';
import { request as httpRequest } from './http.ts';

export type Reach = 'configured' | 'public';

export interface OutgoingRequest {
  readonly url: string;
  readonly reach: Reach;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole exchange, redirects included; 10 s by default. */
  readonly timeoutMs?: number;
  /** Redirects that a GET follows, each judged as the first address was; none by default. */
  readonly redirects?: number;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface Outgoing {
  /** @throws {OutgoingError} when the address may not be asked, or does not answer in time or within the size. */
  send(request: OutgoingRequest): Promise<OutgoingAnswer>;
  /** Judges an address before it is stored. @throws {OutgoingError} with the fault of the address. */
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
  /** Undefined when the address was good and the exchange failed. */
  readonly fault: AddressFault | undefined;

  constructor(message: string, fault?: AddressFault, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutgoingError';
    this.fault = fault;
  }
}

const outgoingTimeoutMs = 10_000;
const maxAnswerBytes = 1_048_576;

export interface OutgoingOptions {
  readonly mode: 'development' | 'production';
  /** Names to addresses; as the system does by default. */
  readonly resolve?: Resolve;
}

export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export function createOutgoing({ mode, resolve = lookup }: OutgoingOptions): Outgoing {
  const publicLookup = publicLookupWith(resolve);
  return {
    async send(request) {
      const signal = AbortSignal.timeout(request.timeoutMs ?? outgoingTimeoutMs);
      let url = request.url;
      for (let left = request.redirects ?? 0; ; left--) {
        const answer = await sendOnce({ ...request, url }, mode, publicLookup, signal);
        const target = answer.location;
        if (target === undefined || left <= 0 || request.method === 'POST') return answer;
        if (!URL.canParse(target, url)) throw new OutgoingError(`${url} redirects to no address`, 'format');
        url = new URL(target, url).href;
      }
    },
    async requirePublic(text) {
      const url = judge(text, 'public', mode);
      await lookUp(publicLookup, bareHost(url));
    },
  };
}

/** What can be said of an address without asking anybody. */
function judge(text: string, reach: Reach, mode: OutgoingOptions['mode']): URL {
  if (!URL.canParse(text)) throw new OutgoingError(`not an address: ${text}`, 'format');
  const url = new URL(text);
  const host = bareHost(url);
  if (host === '') throw new OutgoingError(`no host in ${text}`, 'hostname');
  const isLocal = isLocalName(host) || scopeOf(host) === 'loopback';
  const isPlainAllowed = mode === 'development' && reach === 'configured' && isLocal;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPlainAllowed)) {
    throw new OutgoingError(`${url.origin} is not asked: only https is`, 'scheme');
  }
  if (reach === 'configured') return url;
  if (isLocalName(host) || ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)) {
    throw new OutgoingError(`${host} is this machine`, 'localhost');
  }
  if (isIP(host) !== 0) requireScope(host);
  return url;
}

/** The host as `net` wants it: IPv6 without brackets. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

function requireScope(address: string): void {
  const scope = scopeOf(address);
  if (scope !== 'public') throw new OutgoingError(`${address} is not a public address`, scope);
}

function lookUp(publicLookup: LookupFunction, host: string): Promise<void> {
  return new Promise((done, fail) => {
    publicLookup(host, { all: true }, (error) => (error === null ? done() : fail(error)));
  });
}

/** As `dns.lookup`, with an error for a name of which any address is not public. */
function publicLookupWith(resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(new OutgoingError(`${host} cannot be resolved`, 'unresolved', error), '');
        return;
      }
      try {
        for (const { address } of addresses) requireScope(address);
      } catch (fault) {
        callback(fault as NodeJS.ErrnoException, '');
        return;
      }
      const [first] = addresses;
      if (options.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

interface OneAnswer extends OutgoingAnswer {
  readonly location: string | undefined;
}

function sendOnce(
  request: OutgoingRequest,
  mode: OutgoingOptions['mode'],
  publicLookup: LookupFunction,
  signal: AbortSignal,
): Promise<OneAnswer> {
  const url = judge(request.url, request.reach, mode);
  // TLS is loaded when it is first needed.
  const send = url.protocol === 'https:' ? process.getBuiltinModule('node:https').request : httpRequest;
  return new Promise((done, fail) => {
    const failed = (cause: Error): void =>
      fail(
        cause instanceof OutgoingError
          ? cause
          : new OutgoingError(`${url.origin} did not answer`, undefined, cause),
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
        // A connection of its own: one that was made under another rule is not used again.
        agent: false,
        ...(request.reach === 'public' ? { lookup: publicLookup } : {}),
      },
      (response) => readAnswer(response).then(done, failed),
    );
    sent.on('error', failed);
    sent.end(request.body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<OneAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the connection.
    if (size > maxAnswerBytes) throw new OutgoingError(`the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const status = response.statusCode ?? 0;
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  return {
    status,
    contentType: response.headers['content-type'] ?? '',
    text: Buffer.concat(chunks).toString('utf8'),
    location: isRedirect ? response.headers.location : undefined,
  };
}
