/**
 * Declares routes. A route consists of a method, a path relative to the service's mount path, and a handler or
 * operation.
 */
import type { FastifyInstance } from 'fastify';
import { type Call, type Guard, type Operation, perform } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import type { SignInMethod } from '../sign-in/counts.ts';
import { browserErrorUrl } from './browser-errors.ts';
import { type Exchange, exchangeOf } from './exchange.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Handles a request. Returns the JSON body of a 200 response, or undefined if the handler has already sent a response.
 */
export type Handler = (exchange: Exchange) => Promise<object | undefined> | object;

/** Declares a route with a handler. The guards run before the handler in the given order. */
export type Define = (method: Method, path: string, handler: Handler, guards?: readonly Guard[]) => void;

/** Converts an operation's result to the return value of the handler. */
type Render<Result> = (
  result: Result,
  exchange: Exchange,
) => Promise<object | undefined> | object | undefined;

/** Declares a route that runs an operation. */
export interface Serve {
  <Result>(method: Method, path: string, operation: Operation<Call, Result>, render: Render<Result>): void;
  <Input extends Call, Result>(
    method: Method,
    path: string,
    operation: Operation<Input, Result>,
    render: Render<Result>,
    read: (exchange: Exchange) => Omit<Input, keyof Call>,
  ): void;
}

export interface Router {
  readonly define: Define;
  readonly serve: Serve;
}

export function createRouter(app: FastifyInstance, ctx: AuthContext): Router {
  const declare = (
    method: Method,
    url: string,
    handler: Handler,
    guards: readonly Guard[],
    signIn?: SignInMethod,
  ): void => {
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        const exchange = exchangeOf(ctx, request, reply);
        const operation = { guards, signIn, run: (_ctx: AuthContext, input: Exchange) => handler(input) };
        const response = await perform(ctx, operation, exchange).catch((error: unknown) => {
          const address = browserErrorUrl(ctx, `${method} ${url}`, exchange, error);
          if (address === undefined) throw error;
          return reply.redirect(address, 303);
        });
        return response === undefined ? reply : reply.send(response);
      },
    });
  };
  const define: Define = (method, path, handler, guards = []) => declare(method, path, handler, guards);
  const serve = <Input extends Call, Result>(
    method: Method,
    path: string,
    operation: Operation<Input, Result>,
    render: Render<Result>,
    read?: (exchange: Exchange) => Omit<Input, keyof Call>,
  ): void => {
    const handler = async (exchange: Exchange) => {
      const { caller, body } = exchange;
      const input = { ...read?.(exchange), caller, body } as Input;
      return render(await operation.run(ctx, input), exchange);
    };
    declare(method, path, handler, operation.guards, operation.signIn);
  };
  return { define, serve };
}
