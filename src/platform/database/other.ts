/**
 * Sessions on databases that don't belong to this project. Used by commands: a pool with one login and one connection
 * at a time, sessions that copy rows for dumps, and sessions for scripts that users write.
 */
import type { Sql } from '../../base/kernel/sql.ts';
import { createPools } from './pool/index.ts';
import { announceSchema } from './schema-requests.ts';
import { ownSessionSettings } from './superuser.ts';
import type { Database, Pool, PostgresErrorShape, Queryable, Row } from './types.ts';
import { readVersion } from './wire/client.ts';
import {
  Client,
  Connection,
  type ConnectionOptions,
  copyIn,
  copyLines,
  type Notice,
  parseConnectionString,
  runScript,
  type ScriptResult,
} from './wire/index.ts';

export interface OtherDatabase {
  readonly pool: Pool;
  readonly announceSchema: Database['announceSchema'];
  stop(): Promise<void>;
}

interface OtherDatabaseOptions {
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

export interface CopySession extends Pick<Queryable, 'query' | 'queryText' | 'exec'> {
  /** The version of the server as a number, for example 180004. */
  readonly serverVersion: number;
  /** Whether the connection to the server is still open. */
  readonly isOpen: () => boolean;
  /**
   * The state of the session after the last statement: outside a transaction, in a transaction, or in a failed
   * transaction.
   */
  readonly transaction: () => 'none' | 'open' | 'failed';
  /**
   * Runs COPY ... TO STDOUT. `onLine` is called for each line, which is in COPY's text format and valid only during the
   * call. If `onLine` returns a promise, no more lines are read until the promise resolves.
   */
  copyOut(
    statement: string,
    onLine: (buffer: Buffer, start: number, end: number) => Promise<void> | undefined,
  ): Promise<void>;
  /** Runs COPY ... FROM STDIN. */
  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Closes the session and cancels the statement that is running. */
  destroy(): void;
}

/** Opens a session for copying rows. @throws {ConnectionError} if connecting or signing in fails */
export async function openCopySession(
  options: ConnectionOptions,
  onNotice?: (notice: Notice) => void,
): Promise<CopySession> {
  const client = await Client.connect({ ...options, namedStatements: false, ...(onNotice && { onNotice }) });
  const { connection } = client;
  const states: Readonly<Record<number, 'open' | 'failed'>> = { 84: 'open', 69: 'failed' };
  return {
    serverVersion: readVersion(client),
    query: <R extends object = Row>(statement: Sql) => client.query<R>(statement),
    queryText: (statement) => client.queryText(statement),
    exec: (text) => client.exec(text),
    isOpen: () => !connection.ended,
    transaction: () => states[connection.transactionStatus] ?? 'none',
    copyOut: (statement, onLine) =>
      copyLines(connection, statement, (buffer, start, end) => {
        const full = onLine(buffer, start, end);
        if (full === undefined) return;
        connection.pause();
        full.then(
          () => connection.resume(),
          (error: Error) => connection.destroy(error),
        );
      }),
    copyIn: (statement, chunks) => copyIn(connection, statement, chunks),
    destroy: () => connection.destroy(),
  };
}

export interface TextSession {
  /** Runs one or more statements without parameters. @throws {PostgresError} */
  run(text: string): Promise<readonly ScriptResult[]>;
  /** Sends a cancel request for the running statements. */
  cancel(): Promise<void>;
  end(): void;
}

interface TextSessionOptions {
  readonly applicationName: string;
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void;
}

export type { ScriptResult };

/**
 * Opens a session with the role's and the database's default settings, like psql. The statements are sent unchanged,
 * and all result values are returned as text.
 * @throws {ConnectionError}
 */
export async function openTextSession(
  target: string | ConnectionOptions,
  { applicationName, onNotice }: TextSessionOptions,
): Promise<TextSession> {
  const connection = await Connection.open({
    ...(typeof target === 'string' ? parseConnectionString(target) : target),
    applicationName,
    onNotice,
    parameters: {
      ...(typeof target === 'string' ? {} : target.parameters),
      client_encoding: 'UTF8',
    },
  });
  return {
    run: (text) => runScript(connection, text),
    cancel: () => connection.cancel(),
    end: () => connection.destroy(),
  };
}
