/**
 * Allows cross-origin requests from any origin, with any requested header and the usual methods, like the gateway of
 * upstream's local stack.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Mount } from '../../base/kernel/service.ts';

const methods = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT';
const maxAgeSeconds = '3600';

/** Returns the headers of each response of a mount that web pages of any origin can use. */
export function openHeaders({ exposeHeaders }: Mount): string[] {
  const headers = ['access-control-allow-origin', '*'];
  if (exposeHeaders !== undefined) headers.push('access-control-expose-headers', exposeHeaders.join(','));
  return headers;
}

export function isPreflight({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

export function sendPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const requested = request.headers['access-control-request-headers'];
  return reply
    .code(200)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', requested ?? '*')
    .header('access-control-max-age', maxAgeSeconds)
    .header('content-length', '0')
    .send();
}
