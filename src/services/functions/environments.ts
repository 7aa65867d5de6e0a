/**
 * Determines the environment variables of workers: the project's variables, the platform's variables and the machine's
 * network settings.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Catalog, FunctionSource } from './catalog.ts';
import { functionEnvironment } from './core/environment.ts';
import { machineNetwork } from './core/machine-network.ts';
import type { SecretStore } from './secrets.ts';
import { trustCertificate } from './trusted-certificates.ts';
import type { WorkerEnvironment } from './worker-starter.ts';

interface EnvironmentDeps {
  readonly apiUrl: () => string;
  /** The path to the self-signed certificate that the server presents at `apiUrl`. */
  readonly ownCertificate: string | undefined;
  readonly config: LiveConfig;
  readonly database: Pick<Database, 'info'>;
  /** Whether the server runs in development, where the functions' JWKS includes the JWT secret. */
  readonly isDevelopment: boolean;
  readonly keys: Keys;
  readonly log: Logger;
  /** The secrets that were set while the server was running. */
  readonly secrets: Pick<SecretStore, 'values'>;
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

  /**
   * Returns the project's variables, the platform's variables, and the names of project variables that have no effect.
   */
  projectVariables(source: FunctionSource): ReturnType<typeof functionEnvironment> {
    const { config, keys, apiUrl, database, isDevelopment, secrets } = this.#deps;
    return functionEnvironment({
      slug: source.slug,
      configSecrets: config.current.edge_runtime.secrets,
      sharedFile: this.#catalog.sharedEnv(),
      storedSecrets: secrets.values(),
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
    const { shell, apiUrl, ownCertificate } = this.#deps;
    const trusting = ownCertificate === undefined ? shell : trustCertificate(shell, ownCertificate);
    const network = machineNetwork(trusting, project, apiUrl(), existingFile);
    const packages = npmrcVariables(source, project);
    return {
      env: { ...project, ...network.env, ...packages },
      hidden: [...network.hidden, ...Object.keys(packages)],
    };
  }

  /** Logs a warning about an ignored variable, once for each name. */
  #warn(name: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#deps.log.warn(
      { service: 'functions', name },
      `${name} is set by the platform, so the project's value is ignored`,
    );
  }
}

/**
 * Returns the variable that makes Deno read the function's `.npmrc` file. Deno itself reads this file only beside a
 * deno.json or package.json, and in the home folder.
 */
function npmrcVariables(
  { npmrc }: FunctionSource,
  project: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return npmrc === undefined || project.HOME !== undefined ? {} : { HOME: dirname(npmrc) };
}
