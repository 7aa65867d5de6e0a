/**
 * Server functions: the project's `supabase/functions`, each in a Deno process of its own, reached through one proxy.
 *
 * Glossary. *Function*: a folder with an entrypoint, named by its slug. *Worker*: a process that serves one function.
 * *Policy*: `per_worker` shares a worker among requests, `oneshot` starts one for each.
 */
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { createCatalog } from './catalog.ts';
import { functionEnvironment } from './core/environment.ts';
import { defaultLimits } from './core/limits.ts';
import { findDeno } from './deno/binary.ts';
import { createProxy } from './proxy.ts';
import { functionsPlugin, upgradeHandler } from './routes.ts';
import { createSupervisor } from './supervisor.ts';
import { watchFunctions } from './watch.ts';

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

const prefix = '/functions/v1';

export function createFunctions(deps: FunctionsDeps): Service & { list(): string[] } {
  const { config, keys, log } = deps;
  const catalog = createCatalog(deps.supabaseDir, config);
  const limits = defaultLimits;
  const proxy = createProxy(limits);
  const warned = new Set<string>();
  const supervisor = createSupervisor({
    deno: findDeno(),
    catalog,
    policy: config.edge_runtime.policy,
    limits,
    cacheDir: join(deps.dataDir, 'deno'),
    clock: systemClock,
    log,
    onWorkerExit: proxy.close,
    environment: (source) => {
      const { env, ignored } = functionEnvironment({
        slug: source.slug,
        configSecrets: config.edge_runtime.secrets,
        sharedFile: catalog.sharedEnv(),
        own: source.env,
        apiUrl: deps.apiUrl(),
        databaseUrl: deps.database.info.url,
        keys,
      });
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
    async start() {
      if (deps.watch) unwatch = watchFunctions(catalog.functionsDir, (slugs) => supervisor.reload(slugs));
    },
    async stop() {
      unwatch();
      await supervisor.stop();
    },
  };
}
