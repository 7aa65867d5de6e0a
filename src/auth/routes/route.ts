/**
 * Route declarations: a method, a path below the mount, a handler that returns the JSON body of a 200 response, and its
 * guards.
 */
import type { FastifyInstance } from 'fastify';
import type { AuthContext } from '../context.ts';
import type { LimitedHandler } from '../core/rate-limit-rules.ts';
import { withDeadline } from '../deadline.ts';
import { requireCaptcha } from '../http/captcha.ts';
import { type Exchange, exchangeOf } from '../http/exchange.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Undefined if the handler has already sent the response. */
export type Handler = (exchange: Exchange) => Promise<object | undefined> | object;

/** Checks that run before the handler, in this order. */
export interface Guards {
  /** The rate limit by address that applies. */
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
