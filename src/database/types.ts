/**
 * The interface of the database module.
 *
 * Glossary. *Login role*: the role that a connection uses to sign in. *Request context*: the role, claims and settings
 * of a client request, always set with `set_config(…, true)` and discarded at the end of its transaction. *Request
 * path*: the component through which the REST service sends a request in one write (Bind/Execute set_config,
 * Bind/Execute statement, Sync).
 */
import type { Sql } from '../kernel/sql.ts';

export type { PostgresErrorShape } from '../shared/postgres-error.ts';

/** The roles that Plinth's own pools sign in as. `supabase_admin` never runs a user's code. */
export type LoginRole =
  | 'supabase_admin'
  | 'postgres'
  | 'authenticator'
  | 'supabase_auth_admin'
  | 'supabase_storage_admin'
  | 'supabase_realtime_admin'
  /**
   * The only role that has REPLICATION. It runs replication commands and functions in `pg_catalog`, but never a
   * project's code.
   */
  | 'supabase_replication_admin'
  | 'supabase_functions_admin'
  | 'supabase_read_only_user';

/**
 * A row with values decoded by type. bool becomes boolean. int2, int4, oid, int8, float4 and float8 become number.
 * bytea becomes Buffer. json and jsonb are parsed. text, uuid, numeric, dates and times become strings in PostgreSQL's
 * ISO format (session time zone UTC). One-dimensional arrays of these types become arrays. All other types are returned
 * as text.
 */
export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns its rows as objects. @throws {PostgresErrorShape} */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
  /**
   * Runs one statement and returns every value as PostgreSQL's text or null, with column names and type OIDs. Used to
   * show and export tables.
   */
  queryText(statement: Sql): Promise<TextResult>;
  /** Runs one or more statements without parameters (simple protocol). Used for scripts. */
  exec(text: string): Promise<void>;
}

export interface TextResult {
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly tableOid: number }[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** The command tag of the statement, for example `SELECT 3`. */
  readonly commandTag: string;
}

/**
 * A row as bytes in PostgreSQL's text format. It is valid only until the callback that received it returns. Column
 * numbers start at 0.
 */
export interface RawRow {
  readonly buffer: Buffer;
  /** Returns the offset of a cell's first byte in `buffer`. Returns -1 for null. */
  start(column: number): number;
  /** The offset of the first byte after a cell. */
  end(column: number): number;
  text(column: number): string | null;
}

export interface Transaction extends Queryable {
  /**
   * Runs `work` inside a savepoint. If `work` throws, the transaction is rolled back to the savepoint and the error is
   * rethrown.
   */
  savepoint<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** A whole transaction. In contrast, a {@link Transaction} can also be a savepoint within a transaction. */
export interface WholeTransaction extends Transaction {
  /**
   * Sends the last statements and COMMIT in one write, so that they need a single round trip. No other statements may
   * follow. An error rolls back the whole transaction.
   */
  finish(statements: readonly Sql[]): Promise<void>;
}

export interface TransactionOptions {
  readonly readOnly?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** Settings that are local to the transaction. They are applied in this order, in the same round trip as BEGIN. */
  readonly settings?: readonly Setting[];
  /** Statements that are sent together with BEGIN, after the settings. `work` receives the rows of each statement. */
  readonly first?: readonly Sql[];
  /**
   * How the transaction ends. With `rollback`, everything is rolled back even if `work` succeeds, which is useful for
   * permission checks and previews.
   */
  readonly end?: 'commit' | 'rollback';
  readonly signal?: AbortSignal | undefined;
}

/** Options for statements that don't depend on each other's results. */
export type StatementsOptions = Pick<TransactionOptions, 'readOnly' | 'isolation' | 'settings' | 'end'>;

/**
 * Indicates whether the caller has canceled the work. `aborted` is polled, so listeners aren't needed. `reason` is
 * thrown to the caller. An AbortSignal has this shape.
 */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** A function that runs inside a transaction. `rows` contains the rows of {@link TransactionOptions.first}. */
export type TransactionWork<T> = (tx: WholeTransaction, rows: readonly (readonly object[])[]) => Promise<T>;

/** A setting's name and value, as in `set_config`. */
export type Setting = readonly [name: string, value: string];

export interface Pool extends Queryable {
  readonly role: LoginRole;
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /** Runs the statements as one transaction in one round trip, and returns the rows of each statement. */
  statements(statements: readonly Sql[], options?: StatementsOptions): Promise<(readonly object[])[]>;
  /**
   * Runs one statement as a transaction in one round trip and passes its rows to `onRow` as they arrive. The rows are
   * valid only once the promise has resolved, because the transaction can still fail after the last row.
   */
  rows(statement: Sql, onRow: (row: RawRow) => void, options?: StatementsOptions): Promise<void>;
  /**
   * Reserves a connection, for example for LISTEN, session locks or long-running work. The caller must release it. A
   * broken connection is discarded.
   */
  connect(): Promise<Session>;
}

export interface Session extends Queryable {
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Discards all session state, which includes an open transaction, the role, settings, temporary tables, prepared
   * statements, cursors and advisory locks. Afterward, the server has none of Plinth's own prepared statements, so a
   * script can use and deallocate any name.
   */
  reset(): Promise<void>;
  release(): void;
  /** Closes the connection instead of returning it to the pool. */
  destroy(): void;
  /** The server process ID, for pg_cancel_backend and logs. */
  readonly processId: number;
  /**
   * Prepares a user's statement and runs it once. Passes each row to `rows` as it arrives. The server rejects text that
   * contains several statements (42601).
   */
  runCapped(text: string, rows: CappedRows): Promise<CappedEnd>;
  /** Sends a cancel request for the running statement. Resolves once the request has been delivered. */
  cancel(): Promise<void>;
  /**
   * Calls `listener` with each notice from the server until the session is released. `flow` pauses and resumes the
   * connection.
   */
  onNotice(listener: (notice: NoticeShape, flow: Pick<RowFlow, 'pause' | 'resume'>) => void): void;
}

/** A session that the role itself signed in to. Therefore, its SQL can't switch back to a more powerful role. */
export interface RoleSession {
  readonly processId: number;
  /**
   * Runs a script in the simple protocol. A script with a single statement runs outside a transaction. Rows are counted
   * and discarded. Resolves with the command tag or the row count of the last statement.
   */
  run(text: string): Promise<{ readonly commandTag: string; readonly rowCount: number | undefined }>;
  /** Sends a cancel request for the running statement. */
  cancel(): Promise<void>;
  end(): Promise<void>;
}

/** Receives the rows of {@link Session.runCapped}. */
export interface CappedRows {
  readonly maxRows: number;
  /** The parameters of the statement, in the order of their numbers. */
  readonly parameters?: readonly BoundParameter[];
  /**
   * The maximum size of the UTF-8 text of a cell. The rest of a longer cell is discarded without being kept in memory.
   * Row and column numbers start at 0.
   */
  readonly maxCellBytes: number | ((row: number, column: number) => number);
  /** The maximum size of a row. Cells beyond this size are truncated. */
  readonly maxRowBytes?: number;
  columns(columns: TextResult['columns']): void;
  /** Receives a row. `cut` contains the indexes of truncated cells. `flow` pauses and resumes the connection. */
  row(
    cells: readonly (string | null)[],
    cut: readonly number[],
    flow: Pick<RowFlow, 'pause' | 'resume'>,
  ): void;
}

/** A parameter of a user's statement, in text format. */
export interface BoundParameter {
  /** The OID of the type. If 0, the server determines the type. */
  readonly typeOid: number;
  readonly value: string | null;
}

export interface CappedEnd {
  /** The command tag. Empty if the statement was empty, or if there were more rows than requested. */
  readonly commandTag: string;
  /** Whether there were more rows than requested. If so, the statement was stopped. */
  readonly more: boolean;
  /** Whether a transaction is still open after the statement. */
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
  /**
   * The role from the claims. Because a plan is bound to its role, a prepared statement is identified by the role and
   * the key.
   */
  readonly role: string;
  /** All local settings in the order in which they are applied, including `role` and `search_path`. */
  readonly settings: readonly Setting[];
  /** The main statement, which is identified by `key`. Statements with the same key must have the same text. */
  readonly statement: { readonly key: string; readonly text: string };
  /** The parameters in text format. Bytes, such as a JSON body, are sent unchanged. */
  readonly params: readonly (string | Uint8Array | null)[];
  readonly access: 'read only' | 'read write';
  /**
   * Statements that run before and after the main one in the same transaction, such as a pre-request function or the
   * EXPLAIN for a count.
   */
  readonly before?: readonly PathStatement[];
  readonly after?: readonly PathStatement[];
  /**
   * Requests an explicit transaction (BEGIN … COMMIT) instead of an implicit one. Required only if the result
   * determines whether the transaction is committed, or if an isolation level is requested.
   */
  readonly explicit?: {
    readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
    /**
     * Called with the results. If it returns `rollback`, deferred constraints are checked before the rollback (SET
     * CONSTRAINTS ALL IMMEDIATE).
     */
    readonly decide: (result: PathResult) => 'commit' | 'rollback';
  };
  /**
   * `shared` means that the request is known to be fast, so it can be queued behind other requests on a connection.
   * `alone` means that it needs a separate connection.
   */
  readonly lane: 'shared' | 'alone';
  /** The client that sent the request. Clients take turns. Requests without a client aren't limited. */
  readonly client?: RequestClient;
  /** The measured speed of the query shape. Requests without it aren't limited. */
  readonly speed?: ShapeSpeed;
  /**
   * Whether to reset the session state after the request, because volatile functions can leave behind locks, temporary
   * tables or settings.
   */
  readonly resetAfter?: boolean;
  /**
   * Aborts when the client disconnects. The statement is then canceled unless other requests are in flight on the
   * connection.
   */
  readonly signal?: Cancellation;
  /** Where to store a result that may be large. If undefined, all rows are kept in memory. */
  readonly overflow?: Overflow;
  /**
   * A separator of up to 11 bytes. If it is set, the main statement's rows are joined with it. The rows must have a
   * single cell.
   */
  readonly joinWith?: Uint8Array;
}

/** The client of a request, for fair queues. */
export interface RequestClient {
  /** The user's ID or, for anonymous requests, the address. */
  readonly key: string;
  readonly isAnonymous: boolean;
}

/** The measured speed of a query shape, shared by all requests of that shape. */
export interface ShapeSpeed {
  /** Whether the shape has recently been fast several times. Until then, its concurrent calls are limited. */
  readonly isBrief: boolean;
  /** Whether the shape needs one of the connections for slow calls. */
  readonly isBlocking: boolean;
  /** Records the duration of a run, excluding the time spent in a queue. */
  record(durationMs: number): void;
  /** Records a run that blocked its connection for too long. The run may still be in progress. */
  recordBlocking(startedAt: number, now: number): void;
}

/** The current load of a group of connections. */
export interface PoolLoad {
  readonly name: string;
  readonly limit: number;
  readonly open: number;
  readonly busy: number;
  /** The number of requests that are waiting for a connection. */
  readonly waiting: number;
  /** The number of requests that were rejected because too many were waiting. */
  readonly rejected: number;
  /** The number of requests that waited for a connection until the time limit. */
  readonly timeouts: number;
  /** The total time that requests have waited for a connection. `waited` is the number of these requests. */
  readonly waitedMs: number;
  readonly waited: number;
}

/** Stores the rows of a main statement if they are too many or too large for memory. */
export interface Overflow {
  /** The column whose cells are stored. All other cells are kept in memory. */
  readonly column: number;
  /** Rows with a total size of at most this number of bytes are kept in memory without being counted. */
  readonly freeBytes: number;
  /** Opens a store for one execution of the statement. */
  open(flow: RowFlow, signal: Cancellation | undefined): RowStore;
}

/** Controls the connection that a store receives its rows from. */
export interface RowFlow {
  pause(): void;
  resume(): void;
  /**
   * Rejects the remaining rows because the space is used up or the rows are no longer read. Cancels the statement if
   * that doesn't affect other requests.
   */
  refuse(): void;
}

export interface RowStore {
  /**
   * Returns the number of bytes that can be kept in memory, which is at least `sizeBytes`. Returns undefined if cells
   * must be written from now on.
   */
  keep(sizeBytes: number): number | undefined;
  /** Announces a cell of this size. One or more calls to `write` follow. */
  begin(sizeBytes: number): void;
  /** Writes the bytes from `start` to `end`. The bytes are copied. */
  write(buffer: Buffer, start: number, end: number): void;
  /** The number of cells that have been written. */
  readonly cells: number;
  /** The total size of all cells and separators. */
  readonly sizeBytes: number;
  /** Resolves once everything is stored. Rejects if that fails. */
  finish(): Promise<void>;
  /** The reason why the rows were rejected. Undefined if they weren't rejected or the reason isn't known yet. */
  readonly failure: unknown;
  /** Iterates over the stored bytes. A chunk is valid only until the next one is requested. */
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
   * The rows of the main statement, as raw bytes in text format. If cells are stored elsewhere, a row contains only the
   * remaining cells. If `joinWith` is set, the rows are chunks of the joined text, and the caller must add the
   * separator between the chunks.
   */
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** The number of rows that the statement returned. */
  readonly rowCount: number;
  /**
   * The store. Set only if there were many rows or large rows. Call `finish` before you use the store, and `free`
   * afterward.
   */
  readonly stored: RowStore | undefined;
  readonly columns: readonly string[];
  readonly commandTag: string;
  readonly before: readonly (readonly (readonly (Buffer | null)[])[])[];
  readonly after: readonly (readonly (readonly (Buffer | null)[])[])[];
}

export interface RequestPath {
  /**
   * Runs a request. Resolves only after ReadyForQuery, because errors in deferred constraints aren't raised earlier.
   */
  execute(request: PathRequest): Promise<PathResult>;
  stop(): Promise<void>;
  /** Returns the load of each group of connections. */
  loads(): readonly PoolLoad[];
}

/**
 * The role, claims and headers of a client request. Used by services that run several statements (storage, realtime).
 */
export interface RequestContext {
  readonly role: string;
  /** The settings other than `role`, such as request.jwt.claims, request.headers and storage.operation. */
  readonly settings: readonly Setting[];
  /** The client that sent the request. Clients take turns. Undefined for the server's own work. */
  readonly client?: RequestClient | undefined;
}

export interface Database {
  /**
   * Returns the pool for a login role. The pool is created on first use, has few connections, and closes idle
   * connections. Clients take turns, and each client is limited to a share of the connections. Work without a `client`
   * isn't limited.
   */
  pool(role: LoginRole, client?: RequestClient): Pool;
  /** Opens a session as the given role in any database of the server. @throws if the role isn't allowed to sign in */
  signIn(role: string, database: string): Promise<RoleSession>;
  /** Runs a transaction on the authenticator's pool. The context is set for this transaction only. */
  asRequest<T>(
    context: RequestContext,
    work: (tx: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'settings'>,
  ): Promise<T>;
  /**
   * Runs statements that don't depend on each other's results, like {@link Database.asRequest} but in a single round
   * trip.
   */
  statementsAsRequest(
    context: RequestContext,
    statements: readonly Sql[],
    options?: Omit<StatementsOptions, 'settings'>,
  ): Promise<(readonly object[])[]>;
  /** Runs a query like {@link Pool.rows}. The context is set for this query only. */
  rowsAsRequest(
    context: RequestContext,
    statement: Sql,
    onRow: (row: RawRow) => void,
    options?: Omit<StatementsOptions, 'settings'>,
  ): Promise<void>;
  /** Returns the load of all pools and of the request path. */
  loads(): readonly PoolLoad[];
  /** The REST service's request path. It signs in as `authenticator` on a small number of separate connections. */
  readonly requestPath: RequestPath;
  /**
   * Receives notifications on one shared connection that reconnects automatically. `onLost` runs when the connection is
   * lost, and `onReconnect` runs when it is restored. Returns a function that stops listening.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  /** Opens a walsender connection in database mode as supabase_replication_admin. */
  connectReplication(): Promise<ReplicationConnection>;
  /** Signs in as each role that the services use. @throws if the server can't be reached or rejects a role */
  checkLogins(): Promise<void>;
  /** Returns the current findings about an external server, or an empty list for the embedded server. */
  findings(): Promise<readonly Finding[]>;
  /** Makes the embedded server reject or accept writes. Sessions of Plinth's superuser can always write. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Applies the numbered SQL files that haven't been applied yet, in the given order. */
  migrate(sets: readonly MigrationSet[]): Promise<number>;
  readonly info: DatabaseInfo;
  /** Returns the data that another process of this server needs to use the database for requests. */
  member(): Member;
  /** Resets the passwords of Plinth's login roles after a member's password was rejected. */
  restoreLogins(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The data with which another process signs in. It can be sent to that process, but it contains a password, so it must
 * not appear in arguments, the environment or logs.
 */
export interface Member {
  readonly authenticator: object;
  readonly info: Omit<DatabaseInfo, 'url' | 'projectUrl' | 'socketDir'>;
}

export interface DatabaseInfo {
  /** The connection string for users and ORMs, such as `postgresql://postgres:postgres@127.0.0.1:54322/postgres`. */
  readonly url: string;
  /**
   * The connection string for the project's own code, such as functions. It uses the role `postgres` if possible, and
   * otherwise the account in {@link url}.
   */
  readonly projectUrl: string;
  readonly embedded: boolean;
  /** Whether the embedded server's cluster existed before this process started. Undefined if unknown. */
  readonly existed?: boolean;
  /** The version of the server as a number, for example 180004. */
  readonly serverVersion: number;
  /**
   * The folder of the server's Unix socket. This process can create its own sockets there. Undefined if Plinth didn't
   * start the server or the server doesn't have a socket.
   */
  readonly socketDir?: string | undefined;
  /**
   * Whether Plinth owns the schemas. False for an existing database of the hosted service, where the services'
   * migrations don't run.
   */
  readonly ownsSchemas: boolean;
}

/** A property of an external server that Plinth depends on. */
export interface Finding {
  /** The name of the check, such as `realtime`. */
  readonly check: string;
  /** `degraded` means that a feature is disabled or limited. `failing` means that Plinth can't use the server. */
  readonly status: 'ok' | 'degraded' | 'failing';
  readonly message: string;
  /** Statements for an administrator that solve the problem. */
  readonly statements: readonly string[];
}

/**
 * A module's SQL files. The folder `dir` contains files with names like `NNNN_subject.sql`. Each file is applied once,
 * in a transaction, as supabase_admin.
 */
export interface MigrationSet {
  readonly module: string;
  readonly dir: URL;
}

export interface ReplicationConnection {
  /**
   * Runs a command in the simple protocol (CREATE_REPLICATION_SLOT …, IDENTIFY_SYSTEM). Returns the rows as text by
   * column name.
   */
  command(text: string): Promise<Record<string, string | null>[]>;
  /**
   * Runs START_REPLICATION. `onMessage` receives each XLogData payload. When the server sends a keepalive, the response
   * automatically contains the LSN that was last passed to `acknowledge`.
   */
  stream(
    command: string,
    onMessage: (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void,
  ): { readonly ended: Promise<void> };
  /** Runs BASE_BACKUP. `onPart` receives the beginning and the data of each archive, and then those of the manifest. */
  baseBackup(command: string, onPart: (part: BaseBackupPart) => void): Promise<BaseBackupEnd>;
  /** Runs START_REPLICATION PHYSICAL. The caller must confirm positions with `acknowledge` and {@link sendStatus}. */
  streamWal(command: string, onChunk: (chunk: WalChunk) => void): { readonly ended: Promise<void> };
  /** Sends the confirmed position of a WAL stream immediately, and requests a keepalive from the server. */
  sendStatus(): void;
  /** Confirms that everything up to `lsn` has been processed. */
  acknowledge(lsn: bigint): void;
  /**
   * Stops reading until {@link resume}, so the server waits. Status updates are still sent every few seconds, so that
   * the server doesn't time out. Messages that were already read may still arrive.
   */
  pause(): void;
  resume(): void;
  destroy(): void;
}

export type BaseBackupPart =
  /** The beginning of a tablespace's tar archive. */
  | { readonly kind: 'archive' }
  /** The beginning of the manifest. */
  | { readonly kind: 'manifest' }
  /** Bytes of the archive or manifest that began most recently. */
  | { readonly kind: 'data'; readonly bytes: Buffer };

export interface BaseBackupEnd {
  /** The start of the backup's WAL. Positions have PostgreSQL's format, such as `0/3000028`. */
  readonly startLsn: string;
  readonly endLsn: string;
  readonly timeline: number;
}

/** A chunk of the WAL. A keepalive has no bytes. */
export interface WalChunk {
  readonly start: bigint;
  readonly bytes: Buffer;
  /** The end of the server's WAL when it sent the chunk. */
  readonly serverEnd: bigint;
  readonly serverTimeMs: number;
}
