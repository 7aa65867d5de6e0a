/** The environment variables of workers: the project's variables, the platform's and this machine's network settings. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import type { Keys } from '../keys/types.ts';
import type { Catalog, FunctionSource } from './catalog.ts';
import { functionEnvironment } from './core/environment.ts';
import { machineNetwork } from './core/machine-network.ts';
import type { WorkerEnvironment } from './worker-starter.ts';

interface EnvironmentDeps {
  readonly apiUrl: () => string;
  readonly config: Config;
  readonly database: Pick<Database, 'info'>;
  /** Includes the JWT secret in development. */
  readonly isDevelopment: boolean;
  readonly keys: Keys;
  readonly log: Logger;
  readonly shell: Readonly<Record<string, string | undefined>>;
}

const existingFile = (path: string): string | undefined =>
  path !== '' && existsSync(path) ? resolve(path) : undefined;

export class FunctionEnvironments {
  readonly #deps: EnvironmentDeps;
  readonly #catalog: Pick<Catalog, 'sharedEnv'>;
  readonly #warned = new Set<string>();

  constructor(deps: EnvironmentDeps, catalog: Pick<Catalog, 'sharedEnv'>) {
    this.#deps = deps;
    this.#catalog = catalog;
  }

  /** The variables of the project and the platform, and the names of project variables that have no effect. */
  projectVariables(source: FunctionSource): ReturnType<typeof functionEnvironment> {
    const { config, keys, apiUrl, database, isDevelopment } = this.#deps;
    return functionEnvironment({
      slug: source.slug,
      configSecrets: config.edge_runtime.secrets,
      sharedFile: this.#catalog.sharedEnv(),
      own: source.env,
      apiUrl: apiUrl(),
      databaseUrl: database.info.projectUrl,
      keys,
      includesJwtSecret: isDevelopment,
    });
  }

  of(source: FunctionSource): WorkerEnvironment {
    const { env: project, ignored } = this.projectVariables(source);
    for (const name of ignored) this.#warn(name);
    const network = machineNetwork(this.#deps.shell, project, this.#deps.apiUrl(), existingFile);
    return { env: { ...project, ...network.env }, hidden: network.hidden };
  }

  /** Logs each ignored variable once. */
  #warn(name: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#deps.log.warn(
      { service: 'functions', name },
      `${name} is set by the platform, so the project's value is ignored`,
    );
  }
}
