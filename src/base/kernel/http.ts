/**
 * The parts of HTTP that all floors share: the members of `node:http`, request targets, and the headers that the
 * gateway adds.
 */
import type { FastifyReply } from 'fastify';

/**
 * Exports parts of `node:http`. An import statement would access every member of `node:http`, including the member that
 * loads an HTTP client. This client isn't needed at startup and costs about 20 ms and several MiB.
 */
export const { Agent, createServer, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');

/**
 * Returns a request target in origin form. A client that treats this server as a proxy sends `http://host/path`, which
 * servers must accept (RFC 9112 section 3.2.2). Services require that the request target begins with the path.
 *
 * @example originForm('http://127.0.0.1:54321/auth/v1/user?x=1'); // '/auth/v1/user?x=1'
 */
export function originForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

declare module 'fastify' {
  interface FastifyReply {
    /**
     * The headers as alternating names and values, in the format of `writeHead`. Undefined until the gateway's first
     * hook has run.
     */
    gatewayHeaders: string[] | undefined;
  }
}

/**
 * Sets the headers on the raw response. Keeps headers that the service has set. Used for replies that are hijacked and
 * then piped.
 */
export function setGatewayHeaders({ raw, gatewayHeaders = [] }: FastifyReply): void {
  for (let index = 0; index < gatewayHeaders.length; index += 2) {
    const name = gatewayHeaders[index] as string;
    if (!raw.hasHeader(name)) raw.setHeader(name, gatewayHeaders[index + 1] as string);
  }
}
