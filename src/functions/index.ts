/**
 * Server functions: runs each function in `supabase/functions` in a separate Deno process and routes requests to it.
 *
 * Glossary. *Function*: a folder with an entrypoint, identified by its slug. *Worker*: a process that serves one
 * function. *Policy*: `per_worker` shares a worker between requests, and `oneshot` starts a worker per request.
 */
import { dirname, join, relative } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { createCatalog, type FunctionSource, type ServeOverrides } from './catalog.ts';
import { defaultLimits, type Limits } from './core/limits.ts';
import type { ModuleGraph } from './core/module-graph.ts';
import type { InspectMode } from './deno/arguments.ts';
import { findDeno } from './deno/binary.ts';
import { createTypeChecker } from './deno/check.ts';
import { createGraphs } from './deno/graph.ts';
import { FunctionEnvironments } from './environments.ts';
import { createInvocations, type Invocations } from './invocations.ts';
import { createLineLog } from './line-log.ts';
import { createFunctionLogs, type FunctionLogs } from './logs.ts';
import { createProxy } from './proxy.ts';
import { mostReadableFiles, readablePaths } from './readable-files.ts';
import { type Reload, reloadOnChange } from './reload.ts';
import { functionsPlugin, upgradeHandler } from './routes.ts';
import { lastChangeOf } from './source-files.ts';
import { createSupervisor, type FunctionState } from './supervisor.ts';
import type { WorkerEnvironment } from './worker-starter.ts';

export type { ServeOverrides } from './catalog.ts';
export type { InspectMode } from './deno/arguments.ts';
export type { Invocation, Invocations } from './invocations.ts';
export type { FunctionLogLine, FunctionLogs, LogFilter } from './logs.ts';
export type { FunctionState } from './supervisor.ts';

export interface FunctionsDeps {
  readonly database: Pick<Database, 'info'>;
  readonly keys: Keys;
  readonly config: Config;
  /** The environment in which Plinth was started. Used for its network settings. */
  readonly shell: Readonly<Record<string, string | undefined>>;
  /** The `supabase/` folder. */
  readonly supabaseDir: string;
  /** The parent folder of Deno's module cache (`.plinth`). */
  readonly dataDir: string;
  /**
   * Returns the URL at which functions reach the API. A function, because the port isn't known in advance if it is
   * configured as 0.
   */
  readonly apiUrl: () => string;
  /** Enables reloads, type checks and errors in responses. */
  readonly isDevelopment: boolean;
  /** Overrides the default limits in tests. */
  readonly limits?: Limits;
  readonly log: Logger;
}

/** Information about a function that is available without calling it. */
export interface FunctionFacts {
  readonly slug: string;
  readonly verifyJwt: boolean;
  /** Relative to the project's `supabase` folder, with `/`. */
  readonly entrypoint: string;
  readonly state: FunctionState;
  /** The number of requests in progress. */
  readonly pending: number;
  /** When the newest source file changed, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** The names of the environment variables that the project sets, sorted. Values are never included. */
  readonly secretNames: readonly string[];
}

export interface FunctionsService extends Service {
  list(): string[];
  /** Returns undefined if the function doesn't exist or is disabled. */
  describe(slug: string): FunctionFacts | undefined;
  readonly logs: FunctionLogs;
  readonly invocations: Invocations;
  /**
   * Restarts every function with these options until the returned function is called. If `serve` is called twice, the
   * later session applies.
   */
  serve(session: ServeSession): () => void;
}

export interface ServeSession extends ServeOverrides {
  /**
   * The debugger's mode and first port. Each additional function that starts uses the next port. Disables time limits.
   */
  readonly inspect?: { readonly mode: InspectMode; readonly port: number } | undefined;
}

const prefix = '/functions/v1';

export function createFunctions(deps: FunctionsDeps): FunctionsService {
  const { config, keys, log, isDevelopment } = deps;
  let session: ServeSession = {};
  let reload: Reload | undefined;
  const inspected: string[] = [];
  const catalog = createCatalog(deps.supabaseDir, config, () => session);
  const limits = deps.limits ?? defaultLimits;
  const proxy = createProxy(limits);
  const logs = createFunctionLogs();
  const invocations = createInvocations();
  const environments = new FunctionEnvironments(deps, catalog);
  const environment = (source: FunctionSource): WorkerEnvironment => environments.of(source);
  const onLine = createLineLog(logs, log);
  const inspect = (slug: string): ServeSession['inspect'] => {
    if (session.inspect === undefined) return undefined;
    if (!inspected.includes(slug)) inspected.push(slug);
    return { mode: session.inspect.mode, port: session.inspect.port + inspected.indexOf(slug) };
  };
  const deno = findDeno();
  const cacheDir = join(deps.dataDir, 'deno');
  const denyNet = config.plinth.edge_runtime.deny_net;
  const folders = {
    functionsDir: catalog.functionsDir,
    projectDir: dirname(deps.supabaseDir),
    dataDir: deps.dataDir,
  };
  const readable = (source: FunctionSource, graph: ModuleGraph | undefined): readonly string[] => {
    const { paths, leftOut } = readablePaths(source, graph?.files ?? [], folders);
    if (leftOut > 0) {
      const line = `${leftOut} of its files are beyond the ${mostReadableFiles} that a function may read`;
      onLine({ function: source.slug, level: 'warn', line, requestId: undefined });
    }
    return paths;
  };
  const graphs =
    deno === undefined
      ? undefined
      : createGraphs({
          deno,
          cacheDir,
          denyNet,
          environment: (source) => environment(source).env,
          onRead: (files) => reload?.follow(files),
          rules: folders,
        });
  const supervisor = createSupervisor({
    deno,
    graphs,
    policy: config.edge_runtime.policy,
    limits,
    cacheDir,
    readable,
    denyNet,
    clock: systemClock,
    onWorkerExit: proxy.close,
    onLine,
    environment,
    showsErrors: isDevelopment,
    inspect,
  });
  const checker =
    deno === undefined || !isDevelopment
      ? undefined
      : createTypeChecker({
          deno,
          cacheDir,
          denyNet,
          environment: (source) => environment(source).env,
          onError: (slug, line) => onLine({ function: slug, level: 'warn', line, requestId: undefined }),
        });
  const routes = {
    prefix,
    catalog,
    supervisor,
    proxy,
    keys,
    onInvocation: invocations.add,
    showsErrors: isDevelopment,
    clock: systemClock,
    log,
  };
  return {
    name: 'functions',
    mounts: [
      {
        prefix,
        cors: 'none',
        apiKeys: true,
        documents: config.plinth.edge_runtime.html === 'page' ? 'operator' : 'users',
        plugin: functionsPlugin(routes),
        upgrade: upgradeHandler(routes),
      },
    ],
    list: () => catalog.list(),
    logs,
    invocations,
    describe(slug) {
      const source = catalog.find(slug);
      if (source === undefined) return undefined;
      const { env } = environments.projectVariables(source);
      return {
        slug,
        verifyJwt: source.verifyJwt,
        entrypoint: relative(deps.supabaseDir, source.entrypoint).replaceAll('\\', '/'),
        ...supervisor.stateOf(slug),
        changedAt: lastChangeOf(source.entrypoint),
        secretNames: Object.keys(env)
          .filter((name) => !name.startsWith('SUPABASE_'))
          .sort(),
      };
    },
    serve(given) {
      session = given;
      supervisor.reload(undefined);
      return () => {
        if (session !== given) return;
        session = {};
        inspected.length = 0;
        supervisor.reload(undefined);
      };
    },
    async start() {
      if (!isDevelopment) return;
      reload = reloadOnChange({
        catalog,
        graphs,
        supervisor,
        checkTypes: (source) => checker?.check(source),
      });
    },
    async stop() {
      reload?.stop();
      checker?.stop();
      await supervisor.stop();
    },
  };
}
