/**
 * Serves functions. Each function in `supabase/functions` runs in a separate Deno process, to which Plinth forwards
 * requests.
 *
 * Glossary. *Function*: a folder with an entrypoint, identified by its slug. *Worker*: a process that serves one
 * function. *Policy*: with `per_worker`, requests share a worker, and with `oneshot`, each request gets a new worker.
 */
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { monotonicClock, systemClock } from '../../base/kernel/clock.ts';
import type { DiskState } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount, QueueLoad, Service } from '../../base/kernel/service.ts';
import type { Trace } from '../../base/kernel/trace.ts';
import { thisMachine } from '../../base/shared/machine.ts';
import type { Config, LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { createFunctionActivity, type FunctionActivity } from './activity.ts';
import { type Catalog, createCatalog, type FunctionSource, type ServeOverrides } from './catalog.ts';
import { type Limits, limitsFor } from './core/limits.ts';
import type { ModuleGraph } from './core/module-graph.ts';
import type { InspectMode } from './deno/arguments.ts';
import { ensureDeno, findDeno } from './deno/binary.ts';
import { createTypeChecker } from './deno/check.ts';
import { createGraphs } from './deno/graph.ts';
import type { SyntaxFault } from './deno/syntax.ts';
import { DeployedStore, foldersOf } from './deployed/store.ts';
import type { Deployments } from './deployed/types.ts';
import { FunctionEnvironments } from './environments.ts';
import { createInvocations, type Invocations } from './invocations.ts';
import { createFunctionLogs, createLineLog, type FunctionLogs } from './logs.ts';
import { createFunctionMetrics } from './metrics.ts';
import { createProxy } from './proxy.ts';
import { maxReadableFiles, readablePaths } from './readable-files.ts';
import { type Reload, reloadOnChange } from './reload.ts';
import { functionsPlugin, overloadedBody, upgradeHandler } from './routes.ts';
import { createSecretStore, type SecretStore } from './secrets.ts';
import {
  lastChangeOf,
  listSourceFiles,
  readSourceFile,
  type SourceFile,
  type SourceText,
} from './source-files.ts';
import { createSupervisor, type FunctionState, type Supervisor } from './supervisor.ts';

export type { ActivityMinute, FunctionActivity } from './activity.ts';
export type { ServeOverrides } from './catalog.ts';
export type { InspectMode } from './deno/arguments.ts';
export type { SyntaxFault } from './deno/syntax.ts';
export type { DeployedVersion, Deployments, FunctionFile } from './deployed/types.ts';
export { DeployError } from './errors.ts';
export type { Invocation, Invocations } from './invocations.ts';
export type { FunctionLogLine, FunctionLogs, LogFilter } from './logs.ts';
export type { Secret, SecretFacts, SecretStore } from './secrets.ts';
export type { SourceFile, SourceText } from './source-files.ts';
export type { FunctionState } from './supervisor.ts';

export interface FunctionsDeps {
  readonly database: Pick<Database, 'info'>;
  readonly keys: Keys;
  readonly config: LiveConfig;
  /** The environment in which Plinth was started. The machine's network settings are read from this environment. */
  readonly shell: Readonly<Record<string, string | undefined>>;
  /** The `supabase/` folder. */
  readonly supabaseDir: string;
  /** The folder that contains Deno's module cache, deployed functions and their secrets (`.plinth`). */
  readonly dataDir: string;
  readonly disk: DiskState;
  /** Whether other nodes serve the same deployed functions. */
  readonly isShared?: boolean;
  /**
   * Returns the URL at which functions can reach the API. The URL isn't a constant because the port isn't known in
   * advance if port 0 is configured.
   */
  readonly apiUrl: () => string;
  /** The path to the self-signed certificate that the server presents at {@link apiUrl}. */
  readonly ownCertificate: string | undefined;
  /**
   * Returns the traceparent header that is sent to a function. If the function isn't set, the caller's own header is
   * forwarded.
   */
  readonly traceparent?: ((trace: Trace) => string) | undefined;
  /** Whether functions are reloaded and type-checked when they change, and whether responses contain error details. */
  readonly isDevelopment: boolean;
  /** Limits that replace the defaults in tests. */
  readonly limits?: Limits;
  readonly log: Logger;
}

/** Information about a function that is available without calling it. */
export interface FunctionFacts {
  readonly slug: string;
  readonly verifyJwt: boolean;
  /**
   * The path to the entrypoint, with `/` as the separator. The path is relative to the project's `supabase` folder or,
   * for a deployed function, to the folder from which the function was deployed.
   */
  readonly entrypoint: string;
  /** The version number of a deployed function, or null for a function in the project folder. */
  readonly deployedVersion: number | null;
  readonly state: FunctionState;
  /** The number of pending requests. */
  readonly pending: number;
  /** The time when the newest source file changed, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** The sorted names of the environment variables that the project sets. The variables' values are never included. */
  readonly secretNames: readonly string[];
}

export interface FunctionsService extends Service {
  list(): string[];
  /** Returns information about a function. Returns undefined if the function doesn't exist or is disabled. */
  describe(slug: string): FunctionFacts | undefined;
  /** The functions that were deployed to this server. */
  readonly deployments: Deployments;
  readonly secrets: SecretStore;
  /** Reads replaced files again. The names are those in {@link stateFiles}. */
  reloadFiles(names: ReadonlySet<string>): void;
  readonly logs: FunctionLogs;
  /** Returns the load of the queue for workers. */
  readonly queue: () => QueueLoad;
  readonly invocations: Invocations;
  readonly activity: FunctionActivity;
  /** Returns the files of a function. Returns undefined if the function doesn't exist or is disabled. */
  files(slug: string): readonly SourceFile[] | undefined;
  /**
   * Returns the first syntax error in the text of a file, or undefined if there is none. Neither saves nor runs the text.
   */
  syntaxFault(path: string, text: string): Promise<SyntaxFault | undefined>;
  /** Returns the text of one of the files that {@link files} returned. Returns undefined for all other paths. */
  readFile(slug: string, path: string): Promise<SourceText | undefined>;
  /**
   * Restarts every function with the given options, which apply until the returned function is called. If `serve` is
   * called again, the options of the last call apply.
   */
  serve(session: ServeSession): () => void;
}

export interface ServeSession extends ServeOverrides {
  /**
   * The mode of the debugger and the port for the first function. Each additional function that starts uses the next
   * port. Workers' time limits don't apply while the debugger is enabled.
   */
  readonly inspect?: { readonly mode: InspectMode; readonly port: number } | undefined;
}

const secretFiles = ['function-secrets.json', 'function-secrets.key'] as const;
const deployedIndex = 'deployed/index.json';

/** The files of the data folder that are the same on every node of a project. */
export const stateFiles = {
  files: [...secretFiles, deployedIndex],
  /** The file that contains the key of the secrets. */
  keyFile: secretFiles[1],
  index: deployedIndex,
  /** Lists the folders of the versions in the content of `index`, in folders that start with `prefix`. */
  folders: {
    prefix: 'deployed/versions/',
    list: (content: Buffer): string[] => foldersOf(content).map((folder) => `deployed/versions/${folder}`),
  },
};

const prefix = '/functions/v1';

/** Returns the folders that determine which files a function can read and import. */
const readableFolders = ({ supabaseDir, dataDir }: FunctionsDeps, functionsDir: string) => ({
  functionsDir,
  projectDir: dirname(supabaseDir),
  dataDir,
});

const workerSettings = ({ functions, edge_runtime, plinth }: Config) => [
  functions,
  edge_runtime,
  plinth.edge_runtime.deny_net,
];

/** Functions pass on the token of their request, so it is valid for as long as the request can take. */
const tokenSeconds = ({ waitMs, wallClockMs }: Limits): number => Math.ceil((waitMs + wallClockMs) / 1000);

const mountOf = (config: LiveConfig, limits: Limits, routes: RouteDeps): Mount => ({
  prefix,
  cors: 'none',
  apiKeys: true,
  apiKeyTokenSeconds: tokenSeconds(limits),
  receivesSecretKeys: true,
  get documents() {
    return config.current.plinth.edge_runtime.html === 'page' ? 'operator' : 'users';
  },
  plugin: functionsPlugin(routes),
  overloaded: [overloadedBody],
  upgrade: upgradeHandler(routes),
});

type RouteDeps = Parameters<typeof functionsPlugin>[0] & Parameters<typeof upgradeHandler>[0];

/**
 * Replaces all workers when a setting that they receive at startup has changed. Requests in progress finish in their
 * current worker.
 */
function replaceWorkersOnChange(config: LiveConfig, supervisor: Supervisor): void {
  config.onChange((next, previous) => {
    if (!isDeepStrictEqual(workerSettings(next), workerSettings(previous))) supervisor.reload(undefined);
  });
}

/**
 * Opens the deployed functions and their secrets. The callback `onChange` receives the slugs of the changed functions,
 * or undefined if all functions are affected.
 */
function openStores(
  { dataDir, disk, isShared = false }: FunctionsDeps,
  onChange: (slugs: readonly string[] | undefined) => void,
): { readonly deployed: DeployedStore } & Pick<FunctionsService, 'secrets' | 'reloadFiles'> {
  const deployed = new DeployedStore({
    dir: join(dataDir, 'deployed'),
    disk,
    clock: systemClock,
    keepsStaged: isShared,
    onChange,
  });
  const secrets = createSecretStore({
    file: join(dataDir, secretFiles[0]),
    keyFile: join(dataDir, secretFiles[1]),
    now: () => systemClock.now(),
    onChange: () => onChange(undefined),
  });
  return {
    deployed,
    secrets,
    reloadFiles(names) {
      if (secretFiles.some((name) => names.has(name))) secrets.reload();
      if (names.has(deployedIndex)) deployed.reload();
    },
  };
}

/** Reads and checks the source code of functions. */
const sourceReader = (
  catalog: Catalog,
  deno: string | undefined,
): Pick<FunctionsService, 'files' | 'readFile' | 'syntaxFault'> => ({
  files: (slug) => {
    const source = catalog.find(slug);
    return source && listSourceFiles(source, catalog.functionsDir);
  },
  readFile: async (slug, path) => {
    const source = catalog.find(slug);
    return source && readSourceFile(source, catalog.functionsDir, path);
  },
  syntaxFault: async (path, text) => {
    const { findSyntaxFault } = await import('./deno/syntax.ts');
    return deno === undefined ? undefined : findSyntaxFault(deno, path, text);
  },
});

export function createFunctions(deps: FunctionsDeps): FunctionsService {
  const { config, keys, log, isDevelopment } = deps;
  let session: ServeSession = {};
  let reload: Reload | undefined;
  const inspected: string[] = [];
  const replaceWorkers = (slugs: readonly string[] | undefined): void => {
    for (const slug of supervisor.reload(slugs)) {
      const source = catalog.find(slug);
      if (source !== undefined) supervisor.warm(source);
    }
  };
  const { deployed, secrets, reloadFiles } = openStores(deps, replaceWorkers);
  const catalog = createCatalog(deps.supabaseDir, config, () => session, deployed);
  const limits = deps.limits ?? limitsFor(thisMachine().memoryBytes);
  const proxy = createProxy(limits);
  const logs = createFunctionLogs();
  const invocations = createInvocations();
  const activity = createFunctionActivity();
  const metrics = createFunctionMetrics();
  const environments = new FunctionEnvironments({ ...deps, secrets }, catalog);
  const onLine = createLineLog(logs, log);
  const inspect = (slug: string): ServeSession['inspect'] => {
    if (session.inspect === undefined) return undefined;
    if (!inspected.includes(slug)) inspected.push(slug);
    return { mode: session.inspect.mode, port: session.inspect.port + inspected.indexOf(slug) };
  };
  const deno = findDeno();
  const cacheDir = join(deps.dataDir, 'deno');
  const denyNet = (): readonly string[] => config.current.plinth.edge_runtime.deny_net;
  const folders = readableFolders(deps, catalog.functionsDir);
  const readable = (source: FunctionSource, graph: ModuleGraph | undefined): readonly string[] => {
    const { paths, skipped } = readablePaths(source, graph?.files ?? [], folders);
    if (skipped > 0) {
      const line = `a function can read at most ${maxReadableFiles} files, so ${skipped} of its files aren't readable`;
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
          environment: (source) => environments.of(source).env,
          onRead: (files) => reload?.follow(files),
          rules: folders,
        });
  const supervisor = createSupervisor({
    deno,
    ensureDeno: () => ensureDeno((message) => log.info({}, message)),
    graphs,
    policy: () => config.current.edge_runtime.policy,
    limits,
    cacheDir,
    readable,
    denyNet,
    clock: monotonicClock,
    onWorkerExit: proxy.close,
    onStart: metrics.started,
    onLine,
    environment: (source) => environments.of(source),
    environmentFault: (source) => catalog.envFault(source),
    newest: ({ slug }) => catalog.find(slug),
    showsErrors: isDevelopment,
    inspect,
  });
  const environmentOf = (source: FunctionSource) => environments.of(source).env;
  const onTypeError = (slug: string, line: string): void =>
    onLine({ function: slug, level: 'warn', line, requestId: undefined });
  const checker =
    deno === undefined || !isDevelopment
      ? undefined
      : createTypeChecker({ deno, cacheDir, denyNet, environment: environmentOf, onError: onTypeError });
  const routes = {
    prefix,
    catalog,
    supervisor,
    proxy,
    keys,
    onInvocation: metrics.counting((invocation) => {
      invocations.add(invocation);
      activity.add(invocation);
    }),
    traceparent: deps.traceparent,
    showsErrors: isDevelopment,
    clock: systemClock,
    log,
  };
  replaceWorkersOnChange(config, supervisor);
  keys.onDefaultKeyChange(() => replaceWorkers(undefined));
  return {
    name: 'functions',
    mounts: [mountOf(config, limits, routes)],
    metrics: () => metrics.values(supervisor.load(), limits.maxWorkers),
    list: () => catalog.list(),
    ...{ deployments: deployed, secrets, reloadFiles },
    logs,
    queue: () => supervisor.queue(),
    invocations,
    activity,
    ...sourceReader(catalog, deno),
    describe: (slug) => factsOf(slug, deps, { catalog, deployed, environments, supervisor }),
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
      deployed.removeUnused();
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

interface FactSources {
  readonly catalog: Catalog;
  readonly deployed: DeployedStore;
  readonly environments: FunctionEnvironments;
  readonly supervisor: Supervisor;
}

function factsOf(
  slug: string,
  { supabaseDir }: FunctionsDeps,
  { catalog, deployed, environments, supervisor }: FactSources,
): FunctionFacts | undefined {
  const source = catalog.find(slug);
  if (source === undefined) return undefined;
  const { env } = environments.projectVariables(source);
  const version = deployed.find(slug);
  return {
    slug,
    verifyJwt: source.verifyJwt,
    entrypoint: version?.entrypointPath ?? relative(supabaseDir, source.entrypoint).replaceAll('\\', '/'),
    deployedVersion: version?.version ?? null,
    ...supervisor.stateOf(slug),
    changedAt: version?.updatedAt ?? lastChangeOf(source.entrypoint),
    secretNames: Object.keys(env)
      .filter((name) => !name.startsWith('SUPABASE_'))
      .sort(),
  };
}
