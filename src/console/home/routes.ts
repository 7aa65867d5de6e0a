/** The home page's data: addresses, public keys, health and versions. */
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { Keys } from '../../keys/types.ts';
import type { Inbox } from '../../mail/types.ts';
import type { Api } from '../routes/api.ts';
import type { LeftOut } from './contract.ts';

export interface HomeDeps {
  readonly config: Config;
  readonly database: Database;
  readonly keys: Keys;
  readonly apiUrl: () => string;
  readonly health: () => Record<string, string | undefined>;
  readonly inbox: Pick<Inbox, 'list'>;
  readonly functions: { list(): string[] };
  /** Project statements that were skipped at startup because of --keep-going. */
  readonly leftOut: () => Promise<readonly LeftOut[]>;
}

/** Which of the first steps are done, according to the project's own data. */
interface Progress {
  readonly table: boolean;
  readonly policy: boolean;
  readonly user: boolean;
  readonly bucket: boolean;
}

export function homeRoutes(api: Api, deps: HomeDeps): void {
  const { config, database, keys, apiUrl, health } = deps;
  const route = api.feature(() => import('./contract.ts'));
  route('GET /home', 'read', async () => ({
    project: config.project_id,
    url: apiUrl(),
    // Public keys only. Secret keys are never sent to the browser here.
    publishableKey: keys.publishableKey,
    anonKey: keys.anonKey,
    database: {
      version: versionText(database.info.serverVersion),
      embedded: database.info.embedded,
      url: withoutSecret(database.info.url),
    },
    progress: {
      ...(await progressOf(database)),
      function: deps.functions.list().length > 0,
      message: (await deps.inbox.list({ limit: 1, offset: 0 })).total > 0,
    },
    leftOut: (await deps.leftOut()).map(({ file, line, message }) => ({ file, line, message })),
    services: Object.entries(health()).map(([name, fault]) => ({ name, fault: fault ?? null })),
  }));
}

async function progressOf(database: Database): Promise<Progress> {
  const [row] = await database.pool('postgres').query<Progress>(sql`
    select exists (select 1 from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as "table",
      exists (select 1 from pg_policy p join pg_class c on c.oid = p.polrelid
              where c.relnamespace = 'public'::regnamespace) as policy,
      exists (select 1 from auth.users) as "user",
      exists (select 1 from storage.buckets) as bucket`);
  return row ?? { table: false, policy: false, user: false, bucket: false };
}

/** Masks the password unless it is the default one of local development. */
export function withoutSecret(address: string): string {
  const url = new URL(address);
  if (url.password !== '' && url.password !== 'postgres') url.password = 'YOUR-PASSWORD';
  return url.href;
}

const versionText = (number: number): string => `${Math.floor(number / 10_000)}.${number % 10_000}`;
