/** `/console/api/*`: the one server-side API of the Console. Every route names the permission it needs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { PostgresErrorShape } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { changing, type Permission, permissions } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Operator, Sessions } from '../sessions.ts';

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly operator: Operator;
}

export interface Api {
  /**
   * A route for signed-in operators whose role has the permission it requires; what `handle` returns is sent as JSON.
   * @throws {Error} at registration: a permission that does not exist, or a changing method that asks for no permission
   * to change and does not say what it changes instead.
   */
  route(
    method: Method,
    path: string,
    requires: Permission,
    handle: (call: Call) => Promise<unknown>,
    options?: RouteOptions,
  ): void;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteOptions {
  /**
   * For a route that is no GET and still open to those who may only look. `nothing`: the body is a question (a
   * statement that is rolled back or read-only). `own session`: the operator's own sign-in.
   */
  readonly changes?: 'nothing' | 'own session';
  /** True: works also while the session owes its second factor. */
  readonly beforeFactor?: boolean;
}

/** What every route has to say, whoever writes it. */
export function checkRoute(
  method: Method,
  path: string,
  requires: Permission,
  { changes }: RouteOptions = {},
): void {
  if (!permissions.includes(requires))
    throw new Error(`${method} ${path}: a route names the permission it requires, not ${requires}`);
  if (method !== 'GET' && changes === undefined && !changing.includes(requires))
    throw new Error(`${method} ${path}: ${requires} is no permission to change anything`);
}

export function createApi(app: FastifyInstance, sessions: Sessions, log: Logger): Api {
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
  app.setErrorHandler((error: unknown, request, reply) => renderError(error, request, reply, log));
  // Not the not-found handler alone: the Console's pages are served from a wildcard around this.
  app.all('/*', async () => {
    throw new ConsoleError('not_found');
  });
  return {
    route(method, path, requires, handle, options) {
      checkRoute(method, path, requires, options);
      app.route({
        method,
        url: path,
        handler: async (request, reply) => {
          const operator = await sessions.authorize(request, requires, options?.beforeFactor);
          if (request.trace !== undefined) request.trace.operator = operator.name;
          const answer = await handle({ request, reply, operator });
          // A reply is awaited until it is sent, and gives nothing then.
          if (reply.sent) return reply;
          if (answer === undefined) return reply.code(204).send();
          return reply.send(answer);
        },
      });
    },
  };
}

type Schemas = typeof import('./schemas.ts');

/**
 * Reads an input by the schema of that name. The schemas and their library are loaded at the first call: a start that
 * nobody opens the Console on does not pay for them.
 * @throws {ConsoleError} bad_request, naming the member that is wrong.
 */
export async function parse<Name extends keyof Schemas>(
  name: Name,
  input: unknown,
): Promise<z.infer<Schemas[Name]>> {
  const schemas = await import('./schemas.ts');
  return parseAs(schemas[name] as unknown as z.ZodType<z.infer<Schemas[Name]>>, input);
}

/** As {@link parse}, by a schema of a page's own. @throws {ConsoleError} bad_request */
export async function parseAs<Value>(schema: z.ZodType<Value>, input: unknown): Promise<Value> {
  const result = schema.safeParse(input ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ConsoleError('bad_request', {
    message: `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'is not valid'}`,
  });
}

function renderError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply {
  const known = error instanceof ConsoleError ? error : fromPostgres(error);
  if (known !== undefined) {
    const { message, waitSeconds, ...fields } = known.fields;
    if (waitSeconds !== undefined) reply.header('retry-after', waitSeconds);
    return reply
      .code(known.status)
      .send({ code: known.code, message: message ?? known.message, ...fields, requestId: request.id });
  }
  const status = (error as { statusCode?: number }).statusCode;
  if (status !== undefined && status < 500) {
    return reply
      .code(status)
      .send({ code: 'bad_request', message: (error as Error).message, requestId: request.id });
  }
  log.error({ requestId: request.id, error }, 'console request failed');
  return reply.code(500).send({
    code: 'internal',
    message: 'Something went wrong inside Plinth; the log has the details.',
    requestId: request.id,
  });
}

/** An operator sees the database's own words: message, detail, hint and SQLSTATE. */
function fromPostgres(error: unknown): ConsoleError | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  const { code, message, detail, hint, column } = error as PostgresErrorShape;
  const { index } = error as { index?: number };
  return new ConsoleError(
    'database',
    { message, detail, hint, column, sqlstate: code, ...(index === undefined ? {} : { index }) },
    { cause: error },
  );
}
