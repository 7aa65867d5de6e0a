/**
 * Returns the values that `plinth status` prints, with the names used by upstream's CLI. Values of disabled services
 * are omitted.
 */
import type { Config } from '../../platform/config/index.ts';
import type { Keys } from '../../platform/keys/index.ts';

export interface StatusInput {
  readonly config: Config;
  readonly keys: Keys;
  readonly apiUrl: string;
  /** Undefined if the Console is disabled. */
  readonly consoleUrl: string | undefined;
  readonly databaseUrl: string;
  readonly mailUrl: string | undefined;
}

export function statusFields({
  config,
  keys,
  apiUrl,
  consoleUrl,
  databaseUrl,
  mailUrl,
}: StatusInput): Record<string, string> {
  const fields: Record<string, string | false> = {
    API_URL: apiUrl,
    REST_URL: config.api.enabled && `${apiUrl}/rest/v1`,
    GRAPHQL_URL: config.api.enabled && `${apiUrl}/graphql/v1`,
    FUNCTIONS_URL: config.edge_runtime.enabled && `${apiUrl}/functions/v1`,
    STORAGE_S3_URL: config.storage.enabled && `${apiUrl}/storage/v1/s3`,
    DB_URL: databaseUrl,
    STUDIO_URL: consoleUrl ?? false,
    MAILPIT_URL: mailUrl ?? false,
    INBUCKET_URL: mailUrl ?? false,
    PUBLISHABLE_KEY: keys.publishableKey,
    SECRET_KEY: keys.secretKey,
    JWT_SECRET: keys.jwtSecret,
    ANON_KEY: keys.anonKey,
    SERVICE_ROLE_KEY: keys.serviceRoleKey,
    S3_PROTOCOL_ACCESS_KEY_ID: config.storage.enabled && keys.s3.accessKeyId,
    S3_PROTOCOL_ACCESS_KEY_SECRET: config.storage.enabled && keys.s3.secretAccessKey,
    S3_PROTOCOL_REGION: config.storage.enabled && keys.s3.region,
  };
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
