/** Defines the Console's API (`/console/api/*`). Every route declares the permission that the route requires. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Logger } from '../../../base/kernel/log.ts';
import type { PostgresErrorShape } from '../../../platform/database/types.ts';
import { GroupError } from '../../../platform/group/types.ts';
import type { Exact, ParamsOf, Parsed, PayloadOf, Raw, RouteSpec, RouteTable } from '../core/contract.ts';
import { changing, type Permission, permissions } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Operator, requireFresh, type Sessions } from '../sessions.ts';

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly operator: Operator;
  /**
   * Checks the session and the permission again, for responses that last long.
   * @throws {ConsoleError} signed_out, csrf, factor_needed, forbidden
   */
  authorize(): Promise<Operator>;
}

/** A call to a route in a contract, with its input. */
export interface RouteCall<Route extends string, Spec extends RouteSpec> extends Call {
  readonly params: ParamsOf<Route>;
  /** Parses the query. @throws {ConsoleError} bad_request with the name of the invalid field */
  query(): Promise<Parsed<Spec, 'query'>>;
  /** Parses the body. @throws {ConsoleError} bad_request with the name of the invalid field */
  body(): Promise<Parsed<Spec, 'body'>>;
}

type Handled<Spec extends RouteSpec> = Spec['response'] extends Raw ? FastifyReply : PayloadOf<Spec>;
type OnlyDeclared<Sent, Spec extends RouteSpec> = Spec['response'] extends Raw
  ? unknown
  : Exact<Sent, PayloadOf<Spec>>;

/**
 * Adds a route from the contract. Only signed-in operators whose role has the required permission can call the route.
 * The result of the handler is sent as JSON and must have exactly the fields that the contract declares. If the result
 * is `undefined`, the response has status 204.
 * @throws {Error} when a route that isn't a GET route doesn't declare what it changes although it requires only a read
 * permission, or whether it needs a recent sign-in although only owners can call it
 */
export type AddRoute<Table extends RouteTable> = <
  Route extends keyof Table & string,
  const Sent extends Handled<Table[Route]>,
>(
  route: Route,
  requires: Permission | Requirement,
  handle: (call: RouteCall<Route, Table[Route]>) => Promise<Sent & OnlyDeclared<Sent, Table[Route]>>,
  options?: RouteOptions,
) => void;

export interface Api {
  /**
   * Returns a function that adds the routes of a feature. The types of the routes are derived from the feature's
   * contract, which is loaded when the first request with input arrives.
   * @example const route = api.feature(() => import('./contract.ts')); route('GET /home', 'read', async () => ({
   *   project: 'demo' }));
   */
  feature<Table extends RouteTable>(load: () => Promise<{ readonly contract: Table }>): AddRoute<Table>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteOptions {
  /**
   * Allows read-only operators to call a route that doesn't use GET. `nothing`: the route doesn't change anything,
   * because its statement is read-only or is rolled back. `own session`: the route changes only the operator's own
   * sign-in.
   */
  readonly changes?: 'nothing' | 'own session';
  /** Whether the route can be called before the operator has verified the second factor in this session. */
  readonly beforeFactor?: boolean;
}

/** A permission, and whether the operator must have signed in recently. */
export interface Requirement {
  readonly permission: Permission;
  /** `by input`: the handler calls {@link requireFresh} if the input needs a recent sign-in. */
  readonly freshSignIn: 'always' | 'by input' | 'never';
}

/**
 * Requires a permission and a recent sign-in. Routes need both if they reveal or change keys, tokens or ways to sign in,
 * or change what runs with the service role's privileges, because their effect outlasts a stolen session.
 *
 * @example route('POST /operators', fresh('own'), async (call) => ...)
 */
export const fresh = (permission: Permission): Requirement => ({ permission, freshSignIn: 'always' });

/** Requires a permission and, for some inputs, a recent sign-in, which the handler checks with {@link requireFresh}. */
export const freshByInput = (permission: Permission): Requirement => ({
  permission,
  freshSignIn: 'by input',
});

/** Requires a permission, however old the sign-in is. */
export const anyTime = (permission: Permission): Requirement => ({ permission, freshSignIn: 'never' });

export function checkRoute(
  method: Method,
  path: string,
  required: Permission | Requirement,
  { changes }: RouteOptions = {},
): void {
  const requires = typeof required === 'object' ? required.permission : required;
  if (!permissions.includes(requires))
    throw new Error(`${method} ${path}: a route names the permission it requires, not ${requires}`);
  if (method !== 'GET' && changes === undefined && !changing.includes(requires))
    throw new Error(`${method} ${path}: ${requires} doesn't permit changes`);
  if (method !== 'GET' && required === 'own')
    throw new Error(`${method} ${path}: a route for owners declares whether it needs a recent sign-in`);
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
  // A not-found handler isn't enough, because a wildcard route outside this scope serves the Console's pages.
  app.all('/*', async () => {
    throw new ConsoleError('not_found');
  });
  function route(
    { method, path }: { readonly method: Method; readonly path: string },
    requires: Permission | Requirement,
    handle: (call: Call) => Promise<unknown>,
    options?: RouteOptions,
  ): void {
    checkRoute(method, path, requires, options);
    const { permission, freshSignIn } = typeof requires === 'object' ? requires : anyTime(requires);
    app.route({
      method,
      url: path,
      handler: async (request, reply) => {
        const authorize = () => sessions.authorize(request, permission, options?.beforeFactor);
        const operator = await authorize();
        if (request.trace !== undefined) request.trace.operator = operator.name;
        if (freshSignIn === 'always') requireFresh(operator);
        const payload = await handle({ request, reply, operator, authorize });
        // The handler may have already sent the response itself. `reply.sent` remains false if the client disconnected
        // while the handler was sending its response, so the raw response is checked too.
        if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return reply;
        if (payload === undefined) return reply.code(204).send();
        return reply.send(payload);
      },
    });
  }
  return {
    feature: (load) => (name, requires, handle, options) => {
      const [method, path] = name.split(' ') as [Method, string];
      const parsed = async (part: 'query' | 'body', input: unknown) => {
        const schema = (await load()).contract[name]?.[part];
        if (schema === undefined || schema === 'file')
          throw new Error(`${name} declares no ${part} to parse`);
        return (await parseAs(schema, input)) as never;
      };
      route(
        { method, path },
        requires,
        ({ request, reply, operator, authorize }) =>
          handle({
            request,
            reply,
            operator,
            authorize,
            params: request.params as never,
            query: () => parsed('query', request.query),
            body: () => parsed('body', request.body),
          }),
        options,
      );
    },
  };
}

/** Parses an input using its schema. @throws {ConsoleError} bad_request with the name of the invalid field */
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
  const known = error instanceof ConsoleError ? error : (fromGroup(error) ?? fromPostgres(error));
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
    message: 'Unexpected error in Plinth. See the log for details.',
    requestId: request.id,
  });
}

/** Converts the error of a change that couldn't be stored for all nodes. */
const fromGroup = (error: unknown): ConsoleError | undefined =>
  error instanceof GroupError
    ? new ConsoleError(
        error.code === 'busy' ? 'refused' : 'unavailable',
        { message: error.message, waitSeconds: 1 },
        { cause: error },
      )
    : undefined;

/**
 * Converts a PostgreSQL error to an error of the Console's API. The response contains PostgreSQL's message, detail,
 * hint and SQLSTATE.
 */
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
