/**
 * The interface of the database module.
 *
 * Glossary. *Login role*: the role that a connection signs in as. *Request context*: the role, claims and settings of a
 * client request, always set with `set_config(…, true)` and discarded at the end of its transaction. *Request path*:
 * the way in which `rest` sends a request in one write (Bind/Execute set_config, Bind/Execute statement, Sync).
 */
import type { Sql } from '../kernel/sql.ts';

export type { PostgresErrorShape } from '../shared/postgres-error.ts';

/** Roles that Plinth's own pools sign in as. `supabase_admin` is never used for anything that runs a user's code. */
export type LoginRole =
  | 'supabase_admin'
  | 'postgres'
  | 'authenticator'
  | 'supabase_auth_admin'
  | 'supabase_storage_admin'
  | 'supabase_realtime_admin'
  /**
   * The only role with REPLICATION. It runs replication commands and functions in `pg_catalog`, and none of a project's
   * code.
   */
  | 'supabase_replication_admin'
  | 'supabase_functions_admin'
  | 'supabase_read_only_user';

/**
 * A row with values decoded by type. bool is decoded to boolean; int2, int4, oid, int8, float4 and float8 to number;
 * and bytea to Buffer. json and jsonb are parsed. text, uuid, numeric, dates and times are decoded to string in
 * PostgreSQL's ISO format (session time zone UTC). One-dimensional arrays of these types are decoded to arrays. All
 * other types are returned as text.
 */
export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns rows as objects. @throws {PostgresErrorShape} */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
  /**
   * Runs one statement and returns every value as PostgreSQL's text or null, with column names and type OIDs. Used for
   * grids and exports.
   */
  queryText(statement: Sql): Promise<TextResult>;
  /** Runs one or more statements without parameters (simple protocol). Used for scripts. */
  exec(text: string): Promise<void>;
}

export interface TextResult {
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly tableOid: number }[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** For example `SELECT 3`. */
  readonly commandTag: string;
}

/**
 * A row as bytes in PostgreSQL's text format. Valid only until the callback that received it returns. Columns count
 * from 0.
 */
export interface RawRow {
  readonly buffer: Buffer;
  /** The offset of a cell's first byte in `buffer`, or -1 for null. */
  start(column: number): number;
  /** The offset after a cell's last byte. */
  end(column: number): number;
  text(column: number): string | null;
}

export interface Transaction extends Queryable {
  /** Runs `work` inside a savepoint. An error rolls back to the savepoint and is rethrown. */
  savepoint<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** The outermost transaction, as opposed to a savepoint. */
export interface WholeTransaction extends Transaction {
  /**
   * Sends the last statements and COMMIT in one write, so that they need a single round trip. No statement may follow.
   * An error rolls everything back.
   */
  finish(statements: readonly Sql[]): Promise<void>;
}

export interface TransactionOptions {
  readonly readOnly?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** Settings that are local to the transaction, set in this order in one round trip with BEGIN. */
  readonly settings?: readonly Setting[];
  /** Statements that are sent with BEGIN, after the settings. `work` receives the rows of each. */
  readonly first?: readonly Sql[];
  /** If `rollback`, everything is rolled back even if `work` succeeds (authorization probes, previews). */
  readonly end?: 'commit' | 'rollback';
  readonly signal?: AbortSignal | undefined;
}

/** Options for statements that don't depend on each other's results. */
export type StatementsOptions = Pick<TransactionOptions, 'readOnly' | 'isolation' | 'settings' | 'end'>;

/** Polled, so a listener isn't needed. An AbortSignal can be used. `reason` is passed to the caller. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** `rows` contains the rows of {@link TransactionOptions.first}. */
export type TransactionWork<T> = (tx: WholeTransaction, rows: readonly (readonly object[])[]) => Promise<T>;

/** A name and a value, as for `set_config`. */
export type Setting = readonly [name: string, value: string];

export interface Pool extends Queryable {
  readonly role: LoginRole;
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /** Runs these statements as one transaction in one round trip and returns the rows of each. */
  statements(statements: readonly Sql[], options?: StatementsOptions): Promise<(readonly object[])[]>;
  /**
   * Runs one statement as a transaction in one round trip and passes its rows to `onRow` as they arrive. The rows are
   * valid only once the promise has resolved, because the transaction can still fail after the last row.
   */
  rows(statement: Sql, onRow: (row: RawRow) => void, options?: StatementsOptions): Promise<void>;
  /**
   * Reserves a connection (for LISTEN, session locks or long-running work). The connection must be released. A broken
   * connection is discarded.
   */
  connect(): Promise<Session>;
}

export interface Session extends Queryable {
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Discards all session state: an open transaction, role, settings, temporary tables, prepared statements, cursors and
   * advisory locks. Afterwards, Plinth's own statements aren't prepared on the server, so that a script can use and
   * deallocate any name.
   */
  reset(): Promise<void>;
  release(): void;
  /** Ends the connection instead of returning it. */
  destroy(): void;
  /** The server process ID, for pg_cancel_backend and logs. */
  readonly processId: number;
  /**
   * Prepares a user's statement, runs it once, and passes its rows on as they arrive. The server rejects text with
   * several statements (42601).
   */
  runCapped(text: string, rows: CappedRows): Promise<CappedEnd>;
  /** Requests that the server cancel the running statement. Resolves once the request is delivered. */
  cancel(): Promise<void>;
  /** Calls `listener` with the server's notices until the session is released. */
  onNotice(listener: (notice: NoticeShape) => void): void;
}

/** A connection that signed in as its role itself, so that SQL can't switch back to another role. */
export interface RoleSession {
  readonly processId: number;
  /**
   * Runs a script with the simple protocol. A script with a single statement runs outside a transaction. Rows are
   * counted and discarded. Resolves with the command tag of the last statement or with its row count.
   */
  run(text: string): Promise<{ readonly commandTag: string; readonly rowCount: number | undefined }>;
  /** Requests that the server cancel the running statement. */
  cancel(): Promise<void>;
  end(): Promise<void>;
}

/** Receives the rows of {@link Session.runCapped}. */
export interface CappedRows {
  readonly maxRows: number;
  /** The maximum size of a cell's UTF-8 text. The rest isn't read into memory. Row and column numbers count from 0. */
  readonly maxCellBytes: number | ((row: number, column: number) => number);
  columns(columns: TextResult['columns']): void;
  /** `cut` contains the indexes of truncated cells. `flow` pauses and resumes the connection. */
  row(
    cells: readonly (string | null)[],
    cut: readonly number[],
    flow: Pick<RowFlow, 'pause' | 'resume'>,
  ): void;
}

export interface CappedEnd {
  /** Empty for an empty statement, and if there were more rows than requested. */
  readonly commandTag: string;
  /** Whether there were more rows, in which case the statement was stopped. */
  readonly more: boolean;
  /** Whether the statement left the session in a transaction. */
  readonly inTransaction: boolean;
}

/** The fields of PostgreSQL's NoticeResponse. */
export interface NoticeShape {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** A request from the REST service to PostgreSQL. */
export interface PathRequest {
  /** The role from the claims. Statements are prepared under role and key, because a plan is bound to the role. */
  readonly role: string;
  /** All local settings in order, including `role` and `search_path`. */
  readonly settings: readonly Setting[];
  /** `key` identifies the statement. Statements with equal keys must have equal text. */
  readonly statement: { readonly key: string; readonly text: string };
  /** Parameters in text format. Bytes are sent unchanged (for example a JSON body). */
  readonly params: readonly (string | Uint8Array | null)[];
  readonly access: 'read only' | 'read write';
  /** Statements before and after the main one in the same transaction (pre-request function, EXPLAIN for counts). */
  readonly before?: readonly PathStatement[];
  readonly after?: readonly PathStatement[];
  /**
   * Only required if the caller must see the result before it decides between commit and rollback, or if an isolation
   * level is requested. BEGIN … COMMIT then replaces the implicit transaction.
   */
  readonly explicit?: {
    readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
    /** Called with the results. `rollback` also checks deferred constraints first (SET CONSTRAINTS ALL IMMEDIATE). */
    readonly decide: (result: PathResult) => 'commit' | 'rollback';
  };
  /**
   * `shared`: known to be fast, so the request can be queued behind others on a connection. `alone`: needs a
   * separate connection.
   */
  readonly lane: 'shared' | 'alone';
  /**
   * Whether session state is reset afterwards, because volatile functions can leave behind locks, temporary tables or
   * settings.
   */
  readonly resetAfter?: boolean;
  /**
   * Aborted when the client disconnects. The statement is canceled if no other request is in flight on the connection.
   */
  readonly signal?: Cancellation;
  /** The destination of a result that may be large. Without it, all rows are kept in memory. */
  readonly overflow?: Overflow;
  /** Joins the main statement's rows, which must have a single cell, with these bytes (at most 11). */
  readonly joinWith?: Uint8Array;
}

/** Stores the rows of a main statement that are too many or too large for memory. */
export interface Overflow {
  /** The column whose cells are stored. The other cells remain in memory. */
  readonly column: number;
  /** Rows up to this total size in bytes remain in memory without being counted. */
  readonly freeBytes: number;
  /** Opens a store for one execution of the statement. */
  open(flow: RowFlow, signal: Cancellation | undefined): RowStore;
}

/** Controls the connection that delivers the rows to a store. */
export interface RowFlow {
  pause(): void;
  resume(): void;
  /**
   * Rejects the remaining rows because there is no space or no reader. The statement is canceled if this doesn't affect
   * any other request.
   */
  refuse(): void;
}

export interface RowStore {
  /**
   * Returns the number of bytes that can remain in memory, at least `sizeBytes`, or undefined if cells must be written
   * from now on.
   */
  keep(sizeBytes: number): number | undefined;
  /** Announces a cell of this size, which follows in one or more writes. */
  begin(sizeBytes: number): void;
  /** Copies the bytes from `start` to `end`. */
  write(buffer: Buffer, start: number, end: number): void;
  /** The number of cells written. */
  readonly cells: number;
  /** The size of all cells and separators. */
  readonly sizeBytes: number;
  /** Resolves once everything is stored. Throws if that fails. */
  finish(): Promise<void>;
  /** The reason why the rows were rejected. Undefined if they weren't or the reason isn't known yet. */
  readonly failure: unknown;
  /** Iterates over the stored bytes. A chunk is valid until the next one is requested. */
  chunks(): AsyncIterable<Buffer>;
  /** Releases all resources. Can be called at any time and repeatedly. */
  free(): void;
}

export interface PathStatement {
  readonly key: string;
  readonly text: string;
  readonly params: readonly (string | Uint8Array | null)[];
}

export interface PathResult {
  /**
   * The rows of the main statement as raw bytes in text format. If rows are stored, contains only the other cells. With
   * `joinWith`, contains pieces of the joined text, between which the separator is still missing.
   */
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** The number of rows that the statement returned. */
  readonly rowCount: number;
  /** Set if there were many or large rows. Call `finish` before you use the store and `free` afterwards. */
  readonly stored: RowStore | undefined;
  readonly columns: readonly string[];
  readonly commandTag: string;
  readonly before: readonly (readonly (readonly (Buffer | null)[])[])[];
  readonly after: readonly (readonly (readonly (Buffer | null)[])[])[];
}

export interface RequestPath {
  /** Resolves after ReadyForQuery and never earlier, because deferred constraints only fail at that point. */
  execute(request: PathRequest): Promise<PathResult>;
  stop(): Promise<void>;
}

/** The role, claims and headers of a client request, for services that run several statements (storage, realtime). */
export interface RequestContext {
  readonly role: string;
  /** The settings besides `role`, such as request.jwt.claims, request.headers and storage.operation. */
  readonly settings: readonly Setting[];
}

export interface Database {
  /**
   * Returns the pool of a login role. The pool is created on first use, has few connections, and closes idle
   * connections.
   */
  pool(role: LoginRole): Pool;
  /**
   * Opens a session for code of any role in any database of the server. @throws if the role isn't allowed to sign in
   */
  signIn(role: string, database: string): Promise<RoleSession>;
  /** Runs a transaction on the authenticator's pool with the context set locally. */
  asRequest<T>(
    context: RequestContext,
    work: (tx: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'settings'>,
  ): Promise<T>;
  /**
   * Like {@link Database.asRequest}, for statements that don't depend on each other's results. Needs a single round
   * trip.
   */
  statementsAsRequest(
    context: RequestContext,
    statements: readonly Sql[],
    options?: Omit<StatementsOptions, 'settings'>,
  ): Promise<(readonly object[])[]>;
  /** Like {@link Pool.rows}, with the context set locally. */
  rowsAsRequest(
    context: RequestContext,
    statement: Sql,
    onRow: (row: RawRow) => void,
    options?: Omit<StatementsOptions, 'settings'>,
  ): Promise<void>;
  /** The request path of the REST service, which uses a small number of separate connections as `authenticator`. */
  readonly requestPath: RequestPath;
  /**
   * Receives notifications on one shared connection that reconnects automatically. `onLost` runs when the connection is
   * lost and `onReconnect` when it is restored. Returns a function that stops listening.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  /** Opens a walsender connection in database mode as supabase_replication_admin. */
  connectReplication(): Promise<ReplicationConnection>;
  /** Applies the numbered files that haven't been applied yet, in the given order. */
  migrate(sets: readonly MigrationSet[]): Promise<void>;
  readonly info: DatabaseInfo;
  stop(): Promise<void>;
}

export interface DatabaseInfo {
  /** The connection string for users and ORMs: `postgresql://postgres:postgres@127.0.0.1:54322/postgres`. */
  readonly url: string;
  /**
   * The connection string for the project's own code, such as functions. It uses `postgres` unless the account in
   * {@link url} is the only account.
   */
  readonly projectUrl: string;
  readonly embedded: boolean;
  /** The version as a number, for example 180004. */
  readonly serverVersion: number;
  /**
   * The server's socket folder, in which this process can listen. Undefined if Plinth didn't start the server or the
   * server doesn't have a socket folder.
   */
  readonly socketDir?: string | undefined;
  /** False for an existing database of the hosted service, on which service migrations don't run. */
  readonly ownsSchemas: boolean;
}

/** `dir` contains files `NNNN_subject.sql`. Each is applied once, in a transaction, as supabase_admin. */
export interface MigrationSet {
  readonly room: string;
  readonly dir: URL;
}

export interface ReplicationConnection {
  /**
   * Runs a simple-protocol command (CREATE_REPLICATION_SLOT …, IDENTIFY_SYSTEM). Returns rows as text by column name.
   */
  command(text: string): Promise<Record<string, string | null>[]>;
  /**
   * Runs START_REPLICATION. `onMessage` receives each XLogData payload. Keepalives are automatically answered with the
   * LSNs passed to `acknowledge`.
   */
  stream(
    command: string,
    onMessage: (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void,
  ): { readonly ended: Promise<void> };
  /** Confirms to the server that everything up to `lsn` has been processed. */
  acknowledge(lsn: bigint): void;
  /**
   * Stops reading until {@link resume}, so that the server waits. Status updates are still sent every few seconds, so
   * the server doesn't time out. Some messages that were already read may still arrive.
   */
  pause(): void;
  resume(): void;
  destroy(): void;
}
