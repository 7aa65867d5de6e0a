/**
 * Server functions: the project's `supabase/functions`, each in a Deno process of its own, reached through one proxy.
 *
 * Glossary. *Function*: a folder with an entrypoint, named by its slug. *Worker*: a process that serves one function.
 * *Policy*: `per_worker` shares a worker among requests, `oneshot` starts one for each.
 */
import { join, relative } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { createCatalog, type FunctionSource } from './catalog.ts';
import { functionEnvironment } from './core/environment.ts';
import { defaultLimits } from './core/limits.ts';
import { findDeno } from './deno/binary.ts';
import { createFunctionLogs, type FunctionLogs } from './logs.ts';
import { createProxy } from './proxy.ts';
import { functionsPlugin, upgradeHandler } from './routes.ts';
import { lastChangeOf } from './source-files.ts';
import { createSupervisor, type FunctionState } from './supervisor.ts';
import { watchFunctions } from './watch.ts';

export type { FunctionLogLine, FunctionLogs } from './logs.ts';
export type { FunctionState } from './supervisor.ts';

export interface FunctionsDeps {
  readonly database: Pick<Database, 'info'>;
  readonly keys: Keys;
  readonly config: Config;
  /** The supabase/ folder. */
  readonly supabaseDir: string;
  /** For Deno's module cache (`.plinth`). */
  readonly dataDir: string;
  /** As the functions reach it. A function, since with port 0 it is known late. */
  readonly apiUrl: () => string;
  /** Reload on change; off in production. */
  readonly watch: boolean;
  readonly log: Logger;
}

/** What is known of a function without asking it. */
export interface FunctionFacts {
  readonly slug: string;
  readonly verifyJwt: boolean;
  /** Relative to the project's `supabase` folder, with `/`. */
  readonly entrypoint: string;
  readonly state: FunctionState;
  /** Requests under way. */
  readonly pending: number;
  /** Of the newest file beside its entrypoint, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** Names in its environment that the project gave it, in the order of the alphabet. Never their values. */
  readonly secretNames: readonly string[];
}

export interface FunctionsService extends Service {
  list(): string[];
  /** Undefined: there is no such function, or it is disabled. */
  describe(slug: string): FunctionFacts | undefined;
  readonly logs: FunctionLogs;
}

const prefix = '/functions/v1';

export function createFunctions(deps: FunctionsDeps): FunctionsService {
  const { config, keys, log } = deps;
  const catalog = createCatalog(deps.supabaseDir, config);
  const limits = defaultLimits;
  const proxy = createProxy(limits);
  const logs = createFunctionLogs();
  const warned = new Set<string>();
  const environmentOf = (source: FunctionSource): ReturnType<typeof functionEnvironment> =>
    functionEnvironment({
      slug: source.slug,
      configSecrets: config.edge_runtime.secrets,
      sharedFile: catalog.sharedEnv(),
      own: source.env,
      apiUrl: deps.apiUrl(),
      databaseUrl: deps.database.info.url,
      keys,
    });
  const supervisor = createSupervisor({
    deno: findDeno(),
    catalog,
    policy: config.edge_runtime.policy,
    limits,
    cacheDir: join(deps.dataDir, 'deno'),
    clock: systemClock,
    onWorkerExit: proxy.close,
    onLine: (line) => {
      logs.add({ ...line, at: systemClock.now() });
      const { function: slug, level, line: text, requestId } = line;
      const fields = { service: 'functions', function: slug, ...(requestId ? { requestId } : {}) };
      if (level === 'info') log.info(fields, text);
      else log.warn(fields, text);
    },
    environment: (source) => {
      const { env, ignored } = environmentOf(source);
      for (const name of ignored) {
        if (warned.has(name)) continue;
        warned.add(name);
        log.warn(
          { service: 'functions', name },
          `${name} is set by the platform; the value from the project is ignored`,
        );
      }
      return env;
    },
  });
  const routes = { prefix, catalog, supervisor, proxy, keys, clock: systemClock, log };
  let unwatch: () => void = () => undefined;
  return {
    name: 'functions',
    mounts: [
      {
        prefix,
        cors: 'none',
        apiKeys: true,
        plugin: functionsPlugin(routes),
        upgrade: upgradeHandler(routes),
      },
    ],
    list: () => catalog.list(),
    logs,
    describe(slug) {
      const source = catalog.find(slug);
      if (source === undefined) return undefined;
      const { env } = environmentOf(source);
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
    async start() {
      if (deps.watch) unwatch = watchFunctions(catalog.functionsDir, (slugs) => supervisor.reload(slugs));
    },
    async stop() {
      unwatch();
      await supervisor.stop();
    },
  };
}
