/**
 * Lets another service serve calls of a function in its own way. Such a call has the same authentication, settings,
 * limits and error responses as a call over REST, but the service can execute its own statements instead. If it doesn't,
 * REST calls the function.
 */
import type { Mount } from '../../base/kernel/service.ts';
import type { PathRequest, PathResult, Setting, ShapeSpeed } from '../../platform/database/types.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { clientOf } from './core/authenticate.ts';
import { type Body, lengthOf, storedBody } from './core/body.ts';
import { LaneMemory } from './core/lane.ts';
import type { RestRequest } from './core/request.ts';
import { type RestResponse, VARY } from './core/respond.ts';
import { transactionSettings } from './core/transaction.ts';
import { handle } from './pipeline.ts';
import type { Replay } from './replay.ts';
import { restPlugin } from './routes.ts';
import type { PipelineDeps, Run } from './run.ts';

type RestRoutes = Parameters<typeof restPlugin>[0];

export interface EndpointOptions {
  /** The path of the mount, such as `/graphql/v1`. */
  readonly prefix: string;
  /** The schema and the name of the function. */
  readonly schema: string;
  readonly name: string;
  /** Serves a call. Returns undefined if REST must call the function. */
  readonly serve: (call: EndpointCall) => Promise<RestResponse | undefined>;
}

/** An authenticated call. */
export interface EndpointCall {
  readonly request: RestRequest;
  readonly role: string;
  /** The schemas of the call's search path. */
  readonly searchPath: readonly string[];
  /** Whether the function's schema is exposed, and no pre-request function is configured. */
  readonly isPlain: boolean;
  /** Executes statements in one transaction with the call's role, claims and settings. @throws {PostgresErrorShape} */
  execute(statements: EndpointStatements): Promise<PathResult>;
  /** Builds the response with the JSON text `open`, `result` and `close`. The result is the only cell of its statement. */
  respond(open: string, result: PathResult | undefined, close: string): RestResponse;
}

export type EndpointStatements = Pick<
  PathRequest,
  'before' | 'statement' | 'params' | 'access' | 'explicit' | 'signal'
> & {
  readonly speed: EndpointSpeed;
  /** Whether the result can be large. */
  readonly isLarge: boolean;
};

/** The measured speed of statements with the same text. */
export type EndpointSpeed = ShapeSpeed & { readonly isQuick: boolean };

export interface Endpoint {
  readonly mount: Mount;
  /** Runs a call within the process, without the network. */
  readonly attempt: Attempt;
  /** Runs a call that is always rolled back. */
  readonly replay: Replay;
  newSpeed(): EndpointSpeed;
}

export type CreateEndpoint = (options: EndpointOptions) => Endpoint;

export const endpoints =
  (
    deps: PipelineDeps,
    mount: Omit<Mount, 'prefix' | 'plugin'>,
    routes: Omit<RestRoutes, 'prefix' | 'handle'>,
  ): CreateEndpoint =>
  ({ prefix, schema, name, serve }) => {
    const handleCall = (request: RestRequest, callDeps = deps): Promise<RestResponse> => {
      const { path } = request;
      const headers = { ...request.headers, 'content-profile': schema, 'accept-profile': schema };
      const call = { ...request, path: `/rpc/${name}${path === '/' ? '' : path}`, headers };
      return handle(call, callDeps, (run) => serve(callOf(run, schema)));
    };
    return {
      mount: {
        ...mount,
        prefix,
        plugin: restPlugin({ ...routes, prefix, handle: (request) => handleCall(request) }),
      },
      attempt: createAttempt((request) => handleCall(request)),
      replay: async (...given) => (await import('./replay.ts')).createReplay(handleCall, deps)(...given),
      newSpeed: () => new LaneMemory(),
    };
  };

function callOf(run: Run, schema: string): EndpointCall {
  const { request, identity, snapshot, timing } = run;
  const { settings } = snapshot;
  const { trace } = request;
  if (trace !== undefined) trace.schema = schema;
  return {
    request,
    role: identity.role,
    searchPath: [schema, ...settings.extraSearchPath],
    isPlain: settings.preRequest === undefined && settings.schemas.includes(schema),
    async execute(statements) {
      const startedAt = performance.now();
      let failure: unknown;
      try {
        const result = await run.deps.requestPath.execute(pathRequest(run, schema, statements));
        await finish(result);
        return result;
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        timing.end('transaction');
        const code = (failure as { code?: string } | undefined)?.code;
        trace?.statement(statements.statement.text, startedAt, performance.now(), code);
      }
    },
    respond: (open, result, close) =>
      respond(settings.schemas.length !== 1 ? schema : undefined, open, result, close),
  };
}

async function finish({ stored }: PathResult): Promise<void> {
  try {
    await stored?.finish();
  } catch (error) {
    stored?.free();
    throw error;
  }
}

function pathRequest(run: Run, schema: string, statements: EndpointStatements): PathRequest {
  const { request, identity, snapshot, deps } = run;
  const { settings, roles } = snapshot;
  const { isLarge, ...others } = statements;
  const role = roles.get(identity.role);
  const isRead = others.access === 'read only';
  const isolation = role?.isolation;
  const decides = others.explicit !== undefined || isolation !== undefined || request.rollsBack === true;
  const explicit = decides
    ? {
        decide(result: PathResult) {
          const decision = others.explicit?.decide(result) ?? 'commit';
          return request.rollsBack === true ? 'rollback' : decision;
        },
      }
    : undefined;
  return {
    ...others,
    role: identity.role,
    settings: settingsOf(run, schema, role?.settings ?? []),
    ...(explicit === undefined ? {} : { explicit: { ...explicit, ...(isolation && { isolation }) } }),
    lane: isRead && others.speed.isQuick && explicit === undefined ? 'shared' : 'alone',
    client: clientOf(request, identity, settings.anonRole),
    ...(isLarge ? { overflow: deps.responseStorage.document } : {}),
    // A function of a mutation can change the session.
    resetAfter: !isRead,
  };
}

function settingsOf({ request, identity, snapshot }: Run, schema: string, roleSettings: readonly Setting[]) {
  const facts = { request, schema, identity, roleSettings, timezone: undefined, hoisted: [] };
  return transactionSettings(facts, snapshot.settings);
}

function respond(
  profile: string | undefined,
  open: string,
  result: PathResult | undefined,
  close: string,
): RestResponse {
  const stored = result?.stored;
  const cell = result?.rows[0]?.[0];
  const [first, last] = [Buffer.from(open), Buffer.from(close)];
  const body: Body =
    stored !== undefined && stored.cells > 0
      ? storedBody(stored, first, last)
      : [first, ...(cell ? [cell] : []), last];
  return {
    status: 200,
    headers: [
      ['Content-Range', '0-0/*'],
      ['Content-Length', String(lengthOf(body))],
      ['Content-Type', 'application/json; charset=utf-8'],
      ...(profile === undefined ? [] : ([['Content-Profile', profile]] as const)),
      VARY,
    ],
    body,
    release: () => stored?.free(),
  };
}
