/** Determines the contents of `Deno.env`: the project's secrets, and the variables that the platform always sets. */
import type { Keys } from '../../../platform/keys/types.ts';

export interface EnvironmentInput {
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
export function functionEnvironment(input: EnvironmentInput): {
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
