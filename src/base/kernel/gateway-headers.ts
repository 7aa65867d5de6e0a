/**
 * Defines the headers that the gateway adds to every response, which are the request ID and the CORS headers. Fastify
 * sends these headers automatically, but code that hijacks the reply must write them itself.
 */
import type { FastifyReply } from 'fastify';

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
