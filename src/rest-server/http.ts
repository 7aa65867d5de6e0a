/** The HTTP server: reads requests, calls the service, adds the server's headers and writes the request log. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from '../kernel/http.ts';
import { originForm } from '../kernel/origin-form.ts';
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
} from '../rest/index.ts';
import type { ServerConfig } from './config.ts';
import { checkCors } from './cors.ts';
import type { ServerLog } from './log.ts';

export interface HttpDeps {
  readonly config: () => ServerConfig;
  readonly log: ServerLog;
  readonly bodies: BodyBudget;
  /** `facts` are filled in while the request is handled. */
  readonly answer: (request: RestRequest, facts: RequestFacts) => Promise<RestResponse>;
}

export interface RequestFacts {
  role: string | undefined;
  /** Undefined if the SQL isn't logged. */
  readonly statements: string[] | undefined;
}

/** The maximum size of the request line and all headers, close to upstream's limit. */
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
      wantedMethod: headerOf(request, 'access-control-request-method'),
      wantedHeaders: headerOf(request, 'access-control-request-headers'),
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
  const answer = await respondTo(request, response, facts, deps);
  if (log.wants(answer.status)) for (const statement of facts.statements ?? []) log.say(statement);
  warnOfOldNames(request, answer, log);
  // Upstream adds this header to every OPTIONS response.
  if (request.method === 'OPTIONS' && answer.status === 200) own.push('Access-Control-Allow-Origin', '*');
  const headers = new Map(answer.headers.map(([name, value]) => [name.toLowerCase(), value]));
  log.answered({
    request,
    role: facts.role,
    status: answer.status,
    sizeBytes: headers.get('content-length'),
  });
  try {
    writeResponse(response, answer, log.logger, own);
  } catch (cause) {
    answer.release?.();
    // The database set a header that Node rejects.
    log.logger.error({ error: cause }, 'failed to write the response');
    if (response.headersSent) response.destroy();
    else writeResponse(response, respondError(restError('PGRSTX00', { cause }), rest), log.logger, own);
  }
}

async function respondTo(
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestFacts,
  { answer, bodies, config }: HttpDeps,
): Promise<RestResponse> {
  let body: Uint8Array;
  try {
    body = hasBody(request) ? await bodies.read(request, request) : NO_BODY;
    bodies.releaseAfter(request, response);
  } catch (error) {
    return respondError(shellError(error as Error), config().rest);
  }
  const url = originForm(request.url ?? '/');
  const question = url.indexOf('?');
  return await answer(
    {
      method: request.method ?? 'GET',
      path: question === -1 ? url : url.slice(0, question),
      query: question === -1 ? '' : url.slice(question + 1),
      headers: request.headers,
      body,
      signal: new ClientGone(response),
    },
    facts,
  );
}

/** Doesn't wait for a body unless the request declares one. */
const NO_BODY = new Uint8Array(0);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The response's Warning header contains the replacement. The operator sees it in the log. */
function warnOfOldNames(request: IncomingMessage, { headers }: RestResponse, log: ServerLog): void {
  const warning = headers.find(([name]) => name === 'Warning')?.[1];
  const found = warning === undefined ? null : /"(.*) Update (.*) in query string filters/.exec(warning);
  if (found === null) return;
  log.say(`WARNING: ${found[1]}`);
  log.say(`Update filters, orders or limits that use ${found[2]} in \`${request.method} ${request.url}\``);
}
