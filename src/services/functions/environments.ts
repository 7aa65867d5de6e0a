/**
 * Determines the environment variables of workers: the project's variables, the platform's variables and the machine's
 * network settings.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Catalog, FunctionSource } from './catalog.ts';
import { machineNetwork } from './core/machine-network.ts';
import type { SecretStore } from './secrets.ts';
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
    this.#deps.log.warn({ name }, `${name} is set by the platform, so the project's value is ignored`);
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

interface EnvironmentInput {
  readonly slug: string;
  /** The variables in `[edge_runtime.secrets]`. */
  readonly configSecrets: Readonly<Record<string, string | undefined>>;
  /** The variables in `functions/.env`. */
  readonly sharedFile: Readonly<Record<string, string>>;
  /**
   * Secrets that were set while the server was running. These secrets override the variables that config.toml and
   * `functions/.env` define for all functions.
   */
  readonly storedSecrets: Readonly<Record<string, string>>;
  /**
   * The variables in `functions/SLUG/.env`. This includes the variables in `[functions.SLUG.env]`, which override those
   * in the file.
   */
  readonly own: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly keys: Pick<Keys, 'anonKey' | 'serviceRoleKey' | 'publishableKey' | 'secretKey' | 'internalJwks'>;
  /**
   * Whether the JWKS contains the JWT secret, as in upstream's local stack. Anyone who has this secret can forge
   * tokens.
   */
  readonly includesJwtSecret: boolean;
}

/**
 * Returns the environment. `ignored` contains the names of the project's variables that have no effect, because the
 * platform sets these variables.
 */
function functionEnvironment(input: EnvironmentInput): {
  env: Record<string, string>;
  ignored: string[];
} {
  const env: Record<string, string> = {};
  const ignored = new Set<string>();
  const take = (
    names: Readonly<Record<string, string | undefined>>,
    spell: (name: string) => string = (name) => name,
  ): void => {
    for (const [given, value] of Object.entries(names)) {
      const name = spell(given);
      if (name.startsWith('SUPABASE_')) ignored.add(name);
      else if (value !== undefined) env[name] = value;
    }
  };
  take(input.configSecrets, (name) => name.toUpperCase());
  take(input.sharedFile);
  take(input.storedSecrets);
  take(input.own);
  return {
    env: {
      ...env,
      SUPABASE_URL: input.apiUrl,
      SUPABASE_ANON_KEY: input.keys.anonKey,
      SUPABASE_SERVICE_ROLE_KEY: input.keys.serviceRoleKey,
      // The hosted service sets only the lists. On self-hosted servers, `@supabase/server` and other libraries also read
      // the names of single keys, which a project can't set itself because of their prefix.
      SUPABASE_PUBLISHABLE_KEY: input.keys.publishableKey,
      SUPABASE_SECRET_KEY: input.keys.secretKey,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: input.keys.publishableKey }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: input.keys.secretKey }),
      SUPABASE_DB_URL: input.databaseUrl,
      SUPABASE_JWKS: JSON.stringify(jwksOf(input)),
      SUPABASE_FUNCTION_SLUG: input.slug,
    },
    ignored: [...ignored],
  };
}

function jwksOf({ keys, includesJwtSecret }: EnvironmentInput): ReturnType<Keys['internalJwks']> {
  const all = keys.internalJwks();
  return includesJwtSecret ? all : { keys: all.keys.filter(({ kty }) => kty !== 'oct') };
}

type Names = Readonly<Record<string, string | undefined>>;

/**
 * Returns the shell's variables with a DENO_CERT file that contains the server's certificate. Deno reads only one
 * certificate file, so the certificates that the shell's variables specify are added to this file.
 */
function trustCertificate(shell: Names, ownCertificate: string): Names {
  const named = shell.DENO_CERT ?? shell.NODE_EXTRA_CA_CERTS ?? '';
  if (!existsSync(ownCertificate)) return shell;
  if (named === '' || !existsSync(named)) return { ...shell, DENO_CERT: ownCertificate };
  const text = `${readFileSync(resolve(named), 'utf8').trimEnd()}\n${readFileSync(ownCertificate, 'utf8')}`;
  const path = join(dirname(ownCertificate), 'functions.crt');
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, text);
  }
  return { ...shell, DENO_CERT: path };
}
