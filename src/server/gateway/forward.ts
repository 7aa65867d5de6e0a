/**
 * Passes requests from an API worker to the main process over a private Unix socket. The main process's gateway handles
 * forwarded requests like any other request, so a worker doesn't need the services' rules or state. The API worker
 * applies only the connection limits.
 */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Agent, STATUS_CODES, request as sendRequest } from '../../base/kernel/http.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount } from '../../base/kernel/service.ts';
import { schemeOf } from '../../base/kernel/tls.ts';
import { RequestBody } from '../../base/shared/http/request-body.ts';
import { rawHead } from '../../base/shared/http/response-head.ts';
import { overloadBody, overloadHead, overloadStatus } from './overload-response.ts';
import { findMount } from './paths.ts';
import { setDocuments } from './safe-response.ts';

export interface ForwardOptions {
  /** The socket on which the main process listens. */
  readonly socketPath: string;
  /** All mounts of the main process. */
  readonly mounts: readonly ForwardedMount[];
}

/**
 * A mount of the main process, with only the properties that API workers need. The values of these properties can be
 * sent in a message to another process.
 */
export interface ForwardedMount extends Pick<Mount, 'prefix' | 'cors' | 'overloaded' | 'isProbe'> {
  readonly hasUpgrades: boolean;
}

export function forwardedMount({ prefix, cors, overloaded, isProbe, upgrade }: Mount): ForwardedMount {
  return {
    prefix,
    cors,
    hasUpgrades: upgrade !== undefined,
    ...(overloaded === undefined ? {} : { overloaded }),
    ...(isProbe === undefined ? {} : { isProbe }),
  };
}

export interface Forwarder {
  /** The main process's mounts. Requests for these mounts are forwarded, so Fastify never calls the mounts' plugins. */
  readonly mounts: readonly Mount[];
  /** Forwards the request and takes over the reply. */
  request(request: FastifyRequest, reply: FastifyReply): void;
  stop(): void;
}

export interface ForwardDeps extends ForwardOptions {
  /** The value of the Strict-Transport-Security header, which the main process doesn't send on the private socket. */
  readonly strictTransport: string | undefined;
  readonly log: Logger;
}

/** The headers that apply only to a single connection (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A worker's response if the main process can't be reached. */
interface Unreachable {
  readonly head: string[];
  readonly text: string;
}

/** The time after which clients should retry if the main process couldn't be reached. */
const retryMs = 1000;

/** Whether the worker trusts the caller's `traceparent`. A worker always sets this header, so clients can't set it. */
const samplingHeader = 'x-plinth-keeps-sampling';

/**
 * Reads a worker's decision about the caller's `traceparent`, and removes the header so that the services don't receive
 * it.
 */
export function takeSampling({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const keeps = headers[samplingHeader] === 'true';
  delete headers[samplingHeader];
  return keeps;
}

export function createForwarder({
  socketPath,
  mounts: forwardedMounts,
  strictTransport,
  log,
}: ForwardDeps): Forwarder {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });

  const offer = (raw: IncomingMessage, headers: Record<string, string | string[]>, pooled: boolean) =>
    sendRequest({
      socketPath,
      method: raw.method,
      path: raw.url,
      headers,
      agent: pooled ? agent : false,
      // The limit is high because the worker has already checked the size of the client's headers.
      maxHeaderSize: 1024 * 1024,
    });

  /**
   * Returns the response that is sent if the main process can't be reached, because it is stopping or so overloaded
   * that the queue of its socket is full.
   */
  const unreachable = (request: IncomingMessage): Unreachable => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const body = overloadBody(findMount(mounts, path), path);
    return { head: overloadHead(request, body, retryMs), text: request.method === 'HEAD' ? '' : body.text };
  };
  const upgrade: NonNullable<Mount['upgrade']> = (request, socket, head, caller) => {
    const headers = headersFor(request, caller.address);
    const sent = offer(request, { ...headers, connection: 'Upgrade', upgrade: 'websocket' }, false);
    forwardUpgrade(sent, { socket, head }, () => unreachable(request), log);
  };
  const mounts: readonly Mount[] = forwardedMounts.map(({ hasUpgrades, ...mount }) => ({
    ...mount,
    plugin: async () => undefined,
    apiKeys: false,
    ...(hasUpgrades ? { upgrade } : {}),
  }));

  return {
    mounts,
    request(request, reply) {
      const { raw } = request;
      reply.hijack();
      const headers = {
        ...headersFor(raw, request.ip),
        ...bodyLength(raw),
        'x-request-id': request.id,
        ...(request.trace?.traceparent === undefined
          ? {}
          : { [samplingHeader]: String(request.trace.keepsSampling) }),
      };
      const sent = offer(raw, headers, true);
      const dropBody = passBody(raw, sent);
      answer(sent, reply.raw, { unreachable: () => unreachable(raw), dropBody, strictTransport, log });
    },
    stop: () => agent.destroy(),
  };
}

/**
 * Returns the headers for the main process. The gateway has already removed forwarding headers that the sender isn't
 * allowed to set, so the main process trusts the remaining headers. `client`, the client's address, replaces the chain
 * of addresses.
 */
function headersFor(request: IncomingMessage, client: string): Record<string, string | string[]> {
  const ofConnection = new Set(
    (request.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()),
  );
  const kept: Record<string, string | string[]> = { 'x-forwarded-proto': schemeOf(request) };
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !hopByHop.has(name) && !ofConnection.has(name)) kept[name] = value;
  kept['x-forwarded-for'] = client;
  return kept;
}

/**
 * Returns the header that specifies where the body ends, even if the client's Connection header lists it. Node doesn't
 * add such a header to requests with methods that usually have no body, so the main process would read the body as the
 * next request. Requests of all clients share the connections to the main process, which trusts their headers.
 */
function bodyLength({ headers }: IncomingMessage): Record<string, string> {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  const length = headers['content-length'];
  return length === undefined ? {} : { 'content-length': length };
}

/**
 * Forwards the body. Returns a function that must be called when the exchange has ended. The function discards the part
 * of the body that the main process didn't need, because the client's connection would otherwise be blocked.
 */
function passBody(raw: IncomingMessage, sent: ClientRequest): () => void {
  const { headers } = raw;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) {
    sent.end();
    return () => undefined;
  }
  const body = new RequestBody(raw);
  body.on('error', () => sent.destroy());
  body.pipe(sent);
  return () => {
    if (sent.writableFinished) return;
    body.destroy();
    // Node doesn't continue to send a request after its response has ended, so the connection can't be used again.
    sent.destroy();
  };
}

interface AnswerOptions extends Pick<ForwardDeps, 'strictTransport' | 'log'> {
  readonly unreachable: () => Unreachable;
  readonly dropBody: () => void;
}

function answer(
  sent: ClientRequest,
  response: ServerResponse,
  { unreachable, dropBody, strictTransport, log }: AnswerOptions,
): void {
  response.once('close', () => {
    if (!response.writableFinished) sent.destroy();
  });
  sent.on('error', (error) => {
    dropBody();
    if (response.writableEnded) return;
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    log.warn({ error: error.message }, "the main process didn't respond to a forwarded request");
    const { head, text } = unreachable();
    response.writeHead(overloadStatus, head).end(text);
  });
  sent.once('response', (answered) => {
    // The main process has already added the security headers for the mount's kind of documents.
    setDocuments(response, 'plinth');
    const head = endToEnd(answered.rawHeaders);
    if (strictTransport !== undefined) head.push('strict-transport-security', strictTransport);
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage ?? '', head);
    // Sends the status and headers immediately, because Node would otherwise send them together with the first chunk.
    response.flushHeaders();
    pipeline(answered, response, dropBody);
  });
}

function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/**
 * Connects the client's socket to the main process's socket if the main process accepts the upgrade. If the main
 * process rejects the upgrade, forwards its response.
 */
function forwardUpgrade(
  sent: ClientRequest,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  unreachable: () => Unreachable,
  log: Logger,
): void {
  const leave = (): void => void sent.destroy();
  socket.once('close', leave);
  sent.once('error', (error) => {
    log.debug({ error: error.message }, 'a forwarded upgrade failed');
    if (socket.destroyed) return;
    const { head: fields, text } = unreachable();
    const line = STATUS_CODES[overloadStatus] ?? '';
    socket.end(rawHead(overloadStatus, line, [...fields, 'connection', 'close']) + text);
  });
  sent.once('response', (response) => {
    socket.write(headOf(response, [...endToEnd(response.rawHeaders), 'Connection', 'close']));
    pipeline(response, socket, () => socket.destroy());
  });
  sent.once('upgrade', (response, upstream, early) => {
    socket.off('close', leave);
    // An `error` event is followed by a `close` event, which is handled below.
    upstream.on('error', () => undefined);
    socket.once('close', () => upstream.destroy());
    // The client still receives the last bytes, even if the client reads slowly.
    upstream.once('close', () => socket.end(() => socket.destroy()));
    socket.write(headOf(response, response.rawHeaders));
    socket.write(early);
    upstream.write(head);
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  sent.end();
}

const headOf = ({ statusCode = 502 }: IncomingMessage, headers: readonly string[]): string =>
  rawHead(statusCode, STATUS_CODES[statusCode] ?? '', headers);
