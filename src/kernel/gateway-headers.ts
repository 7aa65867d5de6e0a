/**
 * Headers that the gateway adds to every answer: request id, CORS. It sets them when an answer is sent through
 * Fastify; who hijacks the reply writes them itself.
 */
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Names and values in turn, as `writeHead` takes them; undefined before the gateway's first hook. */
    gatewayHeaders: string[] | undefined;
  }
}

/** Puts them on the raw response, unless the service has set its own. For replies that are hijacked and then piped. */
export function setGatewayHeaders({ raw, gatewayHeaders = [] }: FastifyReply): void {
  for (let index = 0; index < gatewayHeaders.length; index += 2) {
    const name = gatewayHeaders[index] as string;
    if (!raw.hasHeader(name)) raw.setHeader(name, gatewayHeaders[index + 1] as string);
  }
}
