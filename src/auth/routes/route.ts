/** How a route is declared: method, path below the mount, a handler that returns the JSON of a 200, and what guards it. */
import type { FastifyInstance } from 'fastify';
import type { AuthContext } from '../context.ts';
import type { LimitedHandler } from '../core/rate-limit-rules.ts';
import { withDeadline } from '../deadline.ts';
import { requireCaptcha } from '../http/captcha.ts';
import { type Exchange, exchangeOf } from '../http/exchange.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Undefined: the handler has sent the answer itself. */
export type Handler = (exchange: Exchange) => Promise<object | undefined> | object;

/** What is asked before the handler, in this order. */
export interface Guards {
  /** Whose limit by address counts. */
  readonly limit?: LimitedHandler;
  readonly captcha?: boolean;
}

export type Define = (method: Method, path: string, handler: Handler, guards?: Guards) => void;

export function definer(app: FastifyInstance, ctx: AuthContext): Define {
  return (method, url, handler, { limit, captcha = false } = {}) => {
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const exchange = exchangeOf(ctx, request, reply);
        const answer = await withDeadline(ctx.settings.requestTimeoutMs, async () => {
          if (limit) await ctx.limits.address(limit, exchange.caller.ip, ctx.clock.now());
          if (captcha) await requireCaptcha(ctx, exchange);
          return handler(exchange);
        });
        return answer === undefined ? reply : reply.send(answer);
      },
    });
  };
}
