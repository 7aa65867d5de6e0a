/** The home page's facts: addresses, keys that may be shown, health, versions. */
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/types.ts';
import type { Keys } from '../../keys/types.ts';
import type { Api } from './api.ts';

export interface HomeDeps {
  readonly config: Config;
  readonly database: Database;
  readonly keys: Keys;
  readonly apiUrl: () => string;
  readonly health: () => Record<string, string | undefined>;
}

export function homeRoutes(api: Api, { config, database, keys, apiUrl, health }: HomeDeps): void {
  api.route('GET', '/home', 'read', async () => ({
    project: config.project_id,
    url: apiUrl(),
    // Public by design. Secret keys never travel to a browser here.
    publishableKey: keys.publishableKey,
    anonKey: keys.anonKey,
    database: {
      version: versionText(database.info.serverVersion),
      embedded: database.info.embedded,
      url: withoutSecret(database.info.url),
    },
    services: Object.entries(health()).map(([name, fault]) => ({ name, fault: fault ?? null })),
  }));
}

/** The password of local development is no secret; any other stays here. */
export function withoutSecret(address: string): string {
  const url = new URL(address);
  if (url.password !== '' && url.password !== 'postgres') url.password = 'YOUR-PASSWORD';
  return url.href;
}

const versionText = (number: number): string => `${Math.floor(number / 10_000)}.${number % 10_000}`;
