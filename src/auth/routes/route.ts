/** How a route is declared: method, path below the mount, and a handler that returns the JSON of a 200. */
import type { FastifyInstance } from 'fastify';
import type { AuthContext } from '../context.ts';
import { type Exchange, exchangeOf } from '../http/exchange.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Undefined: the handler has sent the answer itself. */
export type Handler = (exchange: Exchange) => Promise<object | undefined> | object;

export type Define = (method: Method, path: string, handler: Handler) => void;

export function definer(app: FastifyInstance, ctx: AuthContext): Define {
  return (method, url, handler) => {
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const answer = await handler(exchangeOf(ctx, request, reply));
        return answer === undefined ? reply : reply.send(answer);
      },
    });
  };
}
