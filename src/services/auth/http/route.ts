/** Declares routes. A route runs an operation for a request and renders the result. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { splitOnce } from '../../../base/shared/http/split-once.ts';
import { type Call, type Operation, perform } from '../common/operation.ts';
import { errorParams } from '../common/public-errors.ts';
import { withParams } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import { type Exchange, exchangeOf } from './exchange.ts';

/**
 * The content of a response: the JSON body, or the URL of a redirect. Undefined if the response has no content. A
 * function that has sent the response itself returns the reply.
 */
type Content = object | string | undefined;

/** Converts a request to an operation's input, and the result to a response. */
export interface Http<Input extends Call, Result> {
  /** Reads the input's own fields. An operation whose input is the exchange doesn't need this function. */
  readonly read?: (exchange: Exchange) => Omit<Input, keyof Call>;
  readonly render: (result: Result, exchange: Exchange) => Promise<Content> | Content;
}

/** Declares the route of an operation. */
export interface Route {
  // biome-ignore lint/suspicious/noConfusingVoidType: an operation without a result returns void.
  <Result extends Content | void>(operation: Operation<Exchange, Result>): void;
  <Input extends Call, Result>(operation: Operation<Input, Result>, http: Http<Input, Result>): void;
}

/** An operation of a path. If a path has several operations, the query selects one of them. */
interface Choice {
  readonly condition: string | undefined;
  respond(exchange: Exchange): Promise<FastifyReply>;
}

/** Creates the function that declares routes. On each path, an operation without a condition must be the last. */
export function createRoute(app: FastifyInstance, ctx: AuthContext): Route {
  const paths = new Map<string, Choice[]>();
  return <Input extends Call, Result>(
    operation: Operation<Input, Result>,
    { read, render = (result) => result as Content }: Partial<Http<Input, Result>> = {},
  ): void => {
    const respond = async (exchange: Exchange): Promise<FastifyReply> => {
      const { caller, body, reply } = exchange;
      const input = (read === undefined ? exchange : { ...read(exchange), caller, body }) as unknown as Input;
      try {
        const content = render(await perform(ctx, operation, input), exchange);
        // A reply must not be awaited here, because it resolves to undefined.
        return content === reply ? reply : send(reply, operation.status, await content);
      } catch (error) {
        const page = operation.errorPage?.(ctx, caller);
        if (page === undefined || !isNavigation(exchange.request.headers)) throw error;
        const params = errorParams(ctx, exchange.path, error);
        return reply.redirect(withParams(page, params, { ...params, sb: '' }), 303);
      }
    };
    const [name, condition] = splitOnce(operation.on, '?');
    const choices = paths.get(name) ?? [];
    choices.push({ condition, respond });
    if (choices.length > 1) return;
    paths.set(name, choices);
    const [method, url = ''] = splitOnce(name, ' ');
    app.route({
      method,
      url,
      async handler(request, reply) {
        const exchange = exchangeOf(ctx, request, reply);
        return choices.find((each) => isSelected(each, exchange.query))?.respond(exchange);
      },
    });
  };
}

function isSelected({ condition }: Choice, query: URLSearchParams): boolean {
  if (condition === undefined) return true;
  const [name, value] = splitOnce(condition, '=');
  return query.get(name) === value;
}

function send(
  reply: FastifyReply,
  status: Operation<Call, unknown>['status'],
  content: Content,
): FastifyReply {
  if (typeof content === 'string') return reply.redirect(content, status ?? 302);
  return reply.code(status ?? 200).send(content);
}

/**
 * Whether the request opens a document in a browser. If so, an error leads back to the app, because the user would
 * otherwise see a JSON document. Other clients receive the JSON document, as in upstream. Old browsers don't send
 * `Sec-Fetch-Mode`.
 */
function isNavigation({ accept, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return mode === undefined ? /\btext\/html\b/.test(accept ?? '') : mode === 'navigate';
}
