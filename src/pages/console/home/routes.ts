/** The routes for the home page, which shows URLs, public keys, service health and versions. */

import { sql } from '../../../base/kernel/sql.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import { parseConnectionString, printConnectionUri } from '../../../platform/database/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Inbox } from '../../../services/mail/types.ts';
import type { Api } from '../routes/api.ts';
import type { DatabaseLimit, Overview, Problem, SkippedStatement } from './contract.ts';

export interface HomeDeps {
  readonly config: LiveConfig;
  readonly database: Database;
  readonly keys: Keys;
  readonly apiUrl: () => string;
  /** Returns the status of each service except the Console, which is healthy if it can respond. */
  readonly health: () => Record<string, string | undefined>;
  readonly inbox: Pick<Inbox, 'list'>;
  readonly functions: { list(): string[] };
  /** Returns the project's SQL statements that were skipped at startup because of --keep-going. */
  readonly skipped: () => Promise<readonly SkippedStatement[]>;
  readonly problems: () => Promise<readonly Problem[]>;
  readonly overview: () => Promise<Overview>;
}

/** The onboarding steps whose state depends on the project's own data. */
interface Progress {
  readonly table: boolean;
  readonly policy: boolean;
  readonly user: boolean;
  readonly bucket: boolean;
}

export function homeRoutes(api: Api, deps: HomeDeps): void {
  const { config, database, keys, apiUrl, health, problems, overview } = deps;
  const route = api.feature(() => import('./contract.ts'));
  route('GET /home/overview', 'read', overview);
  route('GET /home/problems', 'read', async () => ({ problems: await problems() }));
  route('GET /home', 'read', async () => ({
    project: config.current.project_id,
    url: apiUrl(),
    // This route must never include secret keys in its response, because the response is sent to the browser.
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
    skipped: (await deps.skipped()).map(({ file, line, message }) => ({ file, line, message })),
    limits: await limitsOf(database),
    services: [
      ...Object.entries(health()).map(([name, fault]) => ({ name, fault: fault ?? null })),
      { name: 'console', fault: null },
    ],
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

async function limitsOf(database: Database): Promise<DatabaseLimit[]> {
  const findings = await database.findings();
  return findings
    .filter(({ status }) => status !== 'ok')
    .map(({ message, statements }) => ({ message, statements }));
}

/** Masks the password in a database URL unless it is the default for local development. */
export function withoutSecret(uri: string): string {
  const target = parseConnectionString(uri);
  if (target.password === undefined || target.password === 'postgres') return uri;
  return printConnectionUri({ ...target, password: 'YOUR-PASSWORD' });
}

const versionText = (number: number): string => `${Math.floor(number / 10_000)}.${number % 10_000}`;
