/**
 * Runs the HTTP server, which reads requests, calls the service, adds the server's headers and writes the request log.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, originForm } from '../../base/kernel/http.ts';
import { splitOnce } from '../../base/shared/http/split-once.ts';
import {
  type BodyBudget,
  ClientGone,
  COMPATIBLE_VERSION,
  type RestRequest,
  type RestResponse,
  respondError,
  restError,
  shellError,
  writeResponse,
} from '../../services/rest/index.ts';
import type { ServerConfig } from './config.ts';
import { checkCors } from './cors.ts';
import type { ServerLog } from './log.ts';

export interface HttpDeps {
  readonly config: () => ServerConfig;
  readonly log: ServerLog;
  readonly bodies: BodyBudget;
  /** Handles a request and fills in `facts` for the request log. */
  readonly handle: (request: RestRequest, facts: RequestFacts) => Promise<RestResponse>;
}

export interface RequestFacts {
  role: string | undefined;
  /** The SQL statements that the request ran. Undefined if SQL statements aren't logged. */
  readonly statements: string[] | undefined;
}

/** The maximum size of the request line and all headers together. The limit is close to PostgREST's. */
const MAX_HEADER_BYTES = 64 * 1024;
const KEEP_ALIVE_MS = 72_000;

export const serverName = `postgrest/${COMPATIBLE_VERSION} plinth`;

export function createHttpServer(deps: HttpDeps): Server {
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      serve(request, response, deps).catch((error: unknown) => {
        deps.log.logger.error({ error }, 'failed to write the response');
        response.destroy();
      });
    },
  );
  return server;
}

async function serve(request: IncomingMessage, response: ServerResponse, deps: HttpDeps): Promise<void> {
  const { log } = deps;
  const { corsOrigins, rest, logQuery } = deps.config();
  const { origin } = request.headers;
  const cors = checkCors(
    {
      method: request.method ?? 'GET',
      origin,
      requestedMethod: headerOf(request, 'access-control-request-method'),
      requestedHeaders: headerOf(request, 'access-control-request-headers'),
    },
    corsOrigins,
  );
  const own = ['Server', serverName, ...cors.headers.flat()];
  if (cors.kind === 'preflight') {
    const { traceHeader } = rest;
    if (traceHeader !== undefined) own.push(traceHeader, headerOf(request, traceHeader) ?? '');
    response.writeHead(200, [...own, 'Content-Length', '0']).end();
    return;
  }
  const facts: RequestFacts = { role: undefined, statements: logQuery ? [] : undefined };
  const result = await respondTo(request, response, facts, deps);
  if (log.wants(result.status)) for (const statement of facts.statements ?? []) log.say(statement);
  warnOfOldNames(request, result, log);
  // PostgREST adds this header to every OPTIONS response.
  if (request.method === 'OPTIONS' && result.status === 200) own.push('Access-Control-Allow-Origin', '*');
  const headers = new Map(result.headers.map(([name, value]) => [name.toLowerCase(), value]));
  log.onResponse({
    request,
    role: facts.role,
    status: result.status,
    sizeBytes: headers.get('content-length'),
  });
  try {
    writeResponse(response, result, log.logger, own);
  } catch (cause) {
    result.release?.();
    // Node refuses to send some headers that the database can set.
    log.logger.error({ error: cause }, 'failed to write the response');
    if (response.headersSent) response.destroy();
    else writeResponse(response, respondError(restError('PGRSTX00', { cause }), rest), log.logger, own);
  }
}

async function respondTo(
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestFacts,
  { handle: result, bodies, config }: HttpDeps,
): Promise<RestResponse> {
  const receivedAtMs = Date.now();
  let body: Uint8Array;
  try {
    body = hasBody(request) ? await bodies.read(request, request) : NO_BODY;
    bodies.releaseAfter(request, response);
  } catch (error) {
    return respondError(shellError(error as Error), config().rest);
  }
  const [path, query = ''] = splitOnce(originForm(request.url ?? '/'), '?');
  return await result(
    {
      method: request.method ?? 'GET',
      path,
      query,
      headers: request.headers,
      body,
      receivedAtMs,
      signal: new ClientGone(response),
    },
    facts,
  );
}

/** Used as the body of requests that don't declare a body. The server doesn't read the connection for such requests. */
const NO_BODY = new Uint8Array(0);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Logs a warning if a request uses an old name. The response's Warning header contains the replacement. */
function warnOfOldNames(request: IncomingMessage, { headers }: RestResponse, log: ServerLog): void {
  const warning = headers.find(([name]) => name === 'Warning')?.[1];
  const found = warning === undefined ? null : /"(.*) Update (.*) in query string filters/.exec(warning);
  if (found === null) return;
  log.say(`WARNING: ${found[1]}`);
  log.say(`Update filters, orders or limits that use ${found[2]} in \`${request.method} ${request.url}\``);
}
