/**
 * Opens a database that doesn't belong to this project. Used by commands. Uses one login and one connection at a time.
 */
import { type CopySession, openCopySession } from './copy-session.ts';
import { createPools } from './pool/index.ts';
import { announceSchema } from './schema-requests.ts';
import { ownSessionSettings } from './superuser.ts';
import type { Database, Pool, PostgresErrorShape } from './types.ts';
import { Client, type ConnectionOptions, parseConnectionString } from './wire/index.ts';

export interface OtherDatabase {
  readonly pool: Pool;
  readonly announceSchema: Database['announceSchema'];
  stop(): Promise<void>;
}

export interface OtherDatabaseOptions {
  /** The password to use if the URL doesn't contain one. */
  readonly password?: string | undefined;
  /**
   * The kind `inspect` is for reading the catalogs. The login may be a superuser and the database may be hostile, so
   * names refer only to PostgreSQL's own objects, and event triggers don't run. The kind `project` is for running the
   * project's SQL with the login's own settings.
   */
  readonly session: 'inspect' | 'project';
}

/** Opens the database that a URL refers to. @throws {ConnectionStringError | PostgresErrorShape} */
export async function openOtherDatabase(
  url: string,
  { password, session }: OtherDatabaseOptions,
): Promise<OtherDatabase> {
  const target: ConnectionOptions = {
    ...parseConnectionString(url, { password }),
    applicationName: 'plinth',
  };
  const options = session === 'inspect' ? await inspectionTarget(target) : target;
  const pools = createPools({ connectOptions: () => options, max: 1 });
  return {
    pool: pools.pool('postgres'),
    announceSchema: () => announceSchema(options),
    stop: () => pools.end(),
  };
}

/**
 * Opens a session for copying rows, with the same settings as a session of the kind `inspect`.
 * @throws {ConnectionStringError | ConnectionError}
 */
export async function openOtherSession(
  url: string,
  { password }: Pick<OtherDatabaseOptions, 'password'>,
): Promise<CopySession> {
  const target: ConnectionOptions = {
    ...parseConnectionString(url, { password }),
    applicationName: 'plinth',
  };
  return await openCopySession(await inspectionTarget(target));
}

/**
 * Adds the settings for safely reading the catalogs of a possibly hostile database, as far as the server accepts these
 * settings. Only a superuser can turn event triggers off, and only in PostgreSQL 17 or later, which introduced login
 * triggers. A pooler may reject all of these settings, so transactions also set the search path.
 */
export async function inspectionTarget(target: ConnectionOptions): Promise<ConnectionOptions> {
  const pinned = { ...target.parameters, ...ownSessionSettings };
  for (const parameters of [{ ...pinned, event_triggers: 'off' }, pinned]) {
    try {
      const client = await Client.connect({ ...target, parameters });
      await client.connection.close();
      return { ...target, parameters };
    } catch (error) {
      if (!rejectsSetting.has((error as PostgresErrorShape).code)) throw error;
    }
  }
  return target;
}

/**
 * The error codes for a setting that PostgreSQL doesn't have, that the login isn't allowed to change, or that a pooler
 * doesn't support.
 */
const rejectsSetting = new Set(['42704', '42501', '08P01']);
