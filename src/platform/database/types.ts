/**
 * The interface of the database module.
 *
 * Glossary. *Login role*: the role as which a connection signs in. *Request context*: the role, claims and settings of
 * a client's request, which are set with `set_config(…, true)` and discarded at the end of the transaction. *Request
 * path*: the component through which the REST service sends a request to PostgreSQL in one write (Bind/Execute
 * set_config, Bind/Execute statement, Sync).
 */
import type { Sql } from '../../base/kernel/sql.ts';

export type { PostgresErrorShape } from '../../base/shared/errors.ts';

/** The roles that Plinth's own pools sign in as. A user's code never runs as `supabase_admin`. */
export type LoginRole =
  | 'supabase_admin'
  | 'postgres'
  | 'authenticator'
  | 'supabase_auth_admin'
  | 'supabase_storage_admin'
  | 'supabase_realtime_admin'
  /**
   * The only role that has REPLICATION. This role's sessions run replication commands and functions in `pg_catalog`,
   * but never a project's code.
   */
  | 'supabase_replication_admin'
  | 'supabase_functions_admin'
  | 'supabase_read_only_user';

/**
 * A row with values decoded by type. bool becomes boolean. int2, int4, oid, int8, float4 and float8 become number.
 * bytea becomes Buffer. json and jsonb are parsed. text, uuid, numeric, dates and times become strings in PostgreSQL's
 * ISO format (session time zone UTC). One-dimensional arrays of these types become arrays. Values of all other types
 * are returned as text.
 */
export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns its rows as objects. @throws {PostgresErrorShape} */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
  /**
   * Runs one statement and returns every value as PostgreSQL's text or null, with column names and type OIDs. Used to
   * display and export tables.
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
 * A row as bytes in PostgreSQL's text format. The row is valid only until the callback that received it returns. Column
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

/**
 * A whole transaction. Unlike a {@link WholeTransaction}, a {@link Transaction} can also be a savepoint within a
 * transaction.
 */
export interface WholeTransaction extends Transaction {
  /**
   * Sends the last statements and COMMIT in one write, so that they need a single round trip. No other statements may
   * follow in this transaction. An error rolls back the whole transaction.
   */
  finish(statements: readonly Sql[]): Promise<void>;
}

export interface TransactionOptions {
  readonly readOnly?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /**
   * Settings that are local to the transaction. The settings are applied in the given order, in the same round trip as
   * BEGIN.
   */
  readonly settings?: readonly Setting[];
  /** Statements that are sent together with BEGIN, after the settings. `work` receives the rows of each statement. */
  readonly first?: readonly Sql[];
  /**
   * The way in which the transaction ends. With `rollback`, the transaction is rolled back even if `work` succeeds,
   * which is useful for permission checks and previews.
   */
  readonly end?: 'commit' | 'rollback';
  readonly signal?: AbortSignal | undefined;
}

/** Options for statements that don't depend on each other's results. */
export type StatementsOptions = Pick<TransactionOptions, 'readOnly' | 'isolation' | 'settings' | 'end'>;

/**
 * Indicates whether the caller has canceled the work. The property `aborted` is polled, so listeners aren't needed. The
 * property `reason` is the error that is thrown to the caller. An AbortSignal has these properties.
 */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** A function that runs inside a transaction. `rows` contains the rows of {@link TransactionOptions.first}. */
export type TransactionWork<T> = (tx: WholeTransaction, rows: readonly (readonly object[])[]) => Promise<T>;

/** A setting's name and value, as they are passed to `set_config`. */
export type Setting = readonly [name: string, value: string];

export interface Pool extends Queryable {
  readonly role: LoginRole;
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /** Runs the statements as one transaction in one round trip, and returns the rows of each statement. */
  statements(statements: readonly Sql[], options?: StatementsOptions): Promise<(readonly object[])[]>;
  /**
   * Runs one statement as a transaction in one round trip and passes each row to `onRow` as the row arrives. The rows
   * are final only once the promise has resolved, because the transaction can still fail after the last row.
   */
  rows(statement: Sql, onRow: (row: RawRow) => void, options?: StatementsOptions): Promise<void>;
  /**
   * Reserves a connection, for example for LISTEN, session locks or long-running work. The caller must release the
   * connection. If the connection is broken, it is discarded.
   */
  connect(): Promise<Session>;
}

export interface Session extends Queryable {
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Discards all session state, including an open transaction, the role, settings, temporary tables, prepared
   * statements, cursors and advisory locks. After the reset, the session has none of Plinth's own prepared statements,
   * so a script can use and deallocate any name.
   */
  reset(): Promise<void>;
  release(): void;
  /** Closes the connection instead of returning it to the pool. */
  destroy(): void;
  /** The server process ID, for pg_cancel_backend and logs. */
  readonly processId: number;
  /**
   * Prepares a user's statement and runs it once. Passes each row to `rows` as the row arrives. The server rejects text
   * that contains several statements (42601).
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

/**
 * A session that was opened by signing in as its role, without SET ROLE. SQL in such a session therefore can't switch
 * back to a more powerful role.
 */
export interface RoleSession {
  readonly processId: number;
  /**
   * Runs a script in the simple protocol. A script with a single statement runs outside a transaction. Rows are counted
   * and discarded. Resolves with the command tag and the row count of the last statement.
   */
  run(text: string): Promise<{ readonly commandTag: string; readonly rowCount: number | undefined }>;
  /** Sends a cancel request for the running statement. */
  cancel(): Promise<void>;
  end(): Promise<void>;
}

/** Receives the rows of {@link Session.runCapped}. */
export interface CappedRows {
  readonly maxRows: number;
  /** The parameters of the statement, in the order of the placeholders' numbers (`$1`, `$2`). */
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
  /** The OID of the type. If the OID is 0, the server determines the type. */
  readonly typeOid: number;
  readonly value: string | null;
}

export interface CappedEnd {
  /** The command tag. The tag is empty if the statement was empty or if there were more rows than requested. */
  readonly commandTag: string;
  /** Whether there were more rows than requested. If there were more rows, the statement was stopped early. */
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
   * The role from the claims. A prepared statement is identified by the role and the key, because a query plan is valid
   * only for one role.
   */
  readonly role: string;
  /** All local settings in the order in which they are applied, including `role` and `search_path`. */
  readonly settings: readonly Setting[];
  /** The main statement, which is identified by `key`. Statements with the same key must have the same text. */
  readonly statement: { readonly key: string; readonly text: string };
  /** The main statement's parameters in text format. Bytes, such as a JSON body, are sent unchanged. */
  readonly params: readonly (string | Uint8Array | null)[];
  readonly access: 'read only' | 'read write';
  /**
   * Statements that run before the main statement in the same transaction, such as the call of a pre-request function.
   */
  readonly before?: readonly PathStatement[];
  /** Statements that run after the main statement in the same transaction, such as the EXPLAIN for a count. */
  readonly after?: readonly PathStatement[];
  /**
   * Requests an explicit transaction (BEGIN … COMMIT) instead of an implicit one. Required only if the result
   * determines whether the transaction is committed, or if an isolation level is requested.
   */
  readonly explicit?: {
    readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
    /**
     * Called with the results. If the function returns `rollback`, deferred constraints are checked before the rollback
     * (SET CONSTRAINTS ALL IMMEDIATE).
     */
    readonly decide: (result: PathResult) => 'commit' | 'rollback';
  };
  /**
   * - `shared`: The request is a fast read, so it can be queued behind other requests on a connection.
   * - `batched`: The request is a fast change. It runs on a connection for changes. If all of them are in use, several
   *   waiting changes are sent together on the next free connection, each in its own transaction.
   * - `alone`: The request needs a separate connection.
   */
  readonly lane: 'shared' | 'batched' | 'alone';
  /** The client that sent the request. Clients take turns. Requests without a client aren't limited. */
  readonly client?: RequestClient;
  /** The measured speed of the query shape. Requests without a speed aren't limited. */
  readonly speed?: ShapeSpeed;
  /**
   * Whether to reset the session state after the request, because volatile functions can leave behind locks, temporary
   * tables or settings.
   */
  readonly resetAfter?: boolean;
  /**
   * A signal that is aborted when the client disconnects. When the client disconnects, the statement is canceled unless
   * other requests are in flight on the connection.
   */
  readonly signal?: Cancellation;
  /** The store for a result that may be large. Without a store, all rows are kept in memory. */
  readonly overflow?: Overflow;
  /**
   * A separator of up to 11 bytes. If the separator is set, the main statement's rows are joined with it. Each of the
   * rows must have a single cell.
   */
  readonly joinWith?: Uint8Array;
  /**
   * Allows the request to use a read replica that has replayed the log at least up to `after`, for example `16/B374D848`. Set only if the request
   * path has replicas.
   */
  readonly replica?: { readonly after?: string | undefined };
  /** Whether the result contains the position in the log after the commit. */
  readonly reportsLsn?: boolean;
}

/** The client of a request, by which queues distribute their capacity fairly. */
export interface RequestClient {
  /** The user's ID or, for anonymous requests, the IP address. */
  readonly key: string;
  readonly isAnonymous: boolean;
}

/** The measured speed of a query shape, shared by all requests of that shape. */
export interface ShapeSpeed {
  /**
   * Whether the shape has recently been fast several times. If it hasn't been, the shape's concurrent calls are
   * limited.
   */
  readonly isBrief: boolean;
  /** Whether the shape needs one of the connections for slow calls. */
  readonly isBlocking: boolean;
  /** Records a run, excluding the time in a queue and the time for which the event loop was late. */
  record(startedAt: number, endedAt: number): void;
  /** Records a run that has blocked its connection for too long. The run may still be in progress. */
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
  /** The number of requests that were rejected because too many other requests were waiting. */
  readonly rejected: number;
  /** The number of requests that reached the time limit while they were waiting for a connection. */
  readonly timeouts: number;
  /**
   * The total time that requests have waited for a connection. The property `waited` is the number of requests that
   * have waited for a connection.
   */
  readonly waitedMs: number;
  readonly waited: number;
}

/** Stores a main statement's rows outside memory if there are too many or they are too large. */
export interface Overflow {
  /** The column whose cells are stored. The cells of all other columns are kept in memory. */
  readonly column: number;
  /** Rows with a total size of at most this number of bytes are kept in memory without a call to the store. */
  readonly freeBytes: number;
  /** Opens a store for one execution of the statement. */
  open(flow: RowFlow, signal: Cancellation | undefined): RowStore;
}

/** Controls the connection that a store receives its rows from. */
export interface RowFlow {
  pause(): void;
  resume(): void;
  /**
   * Rejects the remaining rows because no space is left for them or the rows are no longer needed. Cancels the
   * statement if the cancellation doesn't affect other requests.
   */
  refuse(): void;
}

export interface RowStore {
  /**
   * Returns the number of bytes that can be kept in memory, which is at least `sizeBytes`. Returns undefined if all
   * cells must be written to the store instead.
   */
  keep(sizeBytes: number): number | undefined;
  /** Starts a cell of the given size. The caller then passes the cell's bytes in one or more calls to `write`. */
  begin(sizeBytes: number): void;
  /** Writes the bytes from `start` to `end`. The store copies the bytes. */
  write(buffer: Buffer, start: number, end: number): void;
  /** The number of cells that have been written. */
  readonly cells: number;
  /** The total size of all cells and separators. */
  readonly sizeBytes: number;
  /** Resolves once all bytes are stored. Rejects if the bytes can't be stored. */
  finish(): Promise<void>;
  /**
   * The reason why the store rejected rows. The reason is undefined if no rows were rejected or the reason isn't known
   * yet.
   */
  readonly failure: unknown;
  /** Iterates over the stored bytes. Each chunk is valid only until the next chunk is requested. */
  chunks(): AsyncIterable<Buffer>;
  /** Releases all resources. This method can be called at any time and repeatedly. */
  free(): void;
}

export interface PathStatement {
  readonly key: string;
  readonly text: string;
  readonly params: readonly (string | Uint8Array | null)[];
}

export interface PathResult {
  /**
   * The rows of the main statement, as raw bytes in text format. If some cells are in `stored`, a row contains only the
   * remaining cells. If `joinWith` is set, the rows are chunks of the joined text, and the caller must add the
   * separator between the chunks.
   */
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** The number of rows that the statement returned. */
  readonly rowCount: number;
  /**
   * The store. The property is set only if there were many rows or large rows. Call `finish` before you use the store,
   * and `free` afterward.
   */
  readonly stored: RowStore | undefined;
  readonly columns: readonly string[];
  readonly commandTag: string;
  readonly before: readonly (readonly (readonly (Buffer | null)[])[])[];
  readonly after: readonly (readonly (readonly (Buffer | null)[])[])[];
  /** A position in the log that isn't before the commit. Undefined unless it was requested. */
  readonly lsn?: string | undefined;
}

export interface RequestPath {
  /** Whether requests may use read replicas. */
  readonly hasReplicas?: boolean;
  /**
   * Runs a request. Resolves only after ReadyForQuery has arrived, because deferred constraints can still cause errors
   * before that.
   */
  execute(request: PathRequest): Promise<PathResult>;
  stop(): Promise<void>;
  /** Returns the load of each group of connections. */
  loads(): readonly PoolLoad[];
  /** Returns the time of the most recent response, on the clock of `performance.now()`. */
  answeredAt(): number;
}

/**
 * The role, claims and headers of a client's request. Services that run several statements for a request, such as
 * storage and realtime, use this context.
 */
export interface RequestContext {
  readonly role: string;
  /** The settings other than `role`, such as request.jwt.claims, request.headers and storage.operation. */
  readonly settings: readonly Setting[];
  /**
   * The client that sent the request. Clients take turns. The client is undefined if the server runs the statements for
   * itself.
   */
  readonly client?: RequestClient | undefined;
}

export interface Database {
  /**
   * Returns the pool for a login role. The pool is created on first use, has few connections, and closes idle
   * connections. Clients take turns, and each client is limited to a share of the connections. Statements without a
   * `client` aren't limited.
   */
  pool(role: LoginRole, client?: RequestClient): Pool;
  /** Opens a session as the given role in any database of the server. @throws if the role isn't allowed to sign in */
  signIn(role: string, database: string): Promise<RoleSession>;
  /**
   * Runs a transaction on a connection from the pool of `authenticator`. The context is set for this transaction only.
   */
  asRequest<T>(
    context: RequestContext,
    work: (tx: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'settings'>,
  ): Promise<T>;
  /**
   * Like {@link Database.asRequest}, but runs several statements in a single round trip. No statement may depend on
   * another statement's result.
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
  /**
   * The REST service's request path. The request path uses a small number of separate connections, which sign in as
   * `authenticator`.
   */
  readonly requestPath: RequestPath;
  /** Returns the states of the read replicas. */
  replicas(): readonly ReplicaState[];
  /**
   * Receives notifications on one shared connection that reconnects automatically. Calls `onLost` when the connection
   * is lost, and calls `onReconnect` when the connection is restored. Returns a function that stops listening.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  /**
   * Replies to {@link Database.announceSchema} of any process once `load` has resolved with true. Resolves when requests
   * can be received. Returns a function that stops replying.
   */
  answerSchemaRequests(load: () => Promise<boolean>): Promise<() => Promise<void>>;
  /**
   * Notifies all servers of this database that the schema has changed, and waits until their REST services have loaded
   * it, for at most 10 seconds. Returns the number of servers that haven't loaded it yet.
   */
  announceSchema(): Promise<number>;
  /** Opens a replication connection to the database (`replication=database`) as supabase_replication_admin. */
  connectReplication(): Promise<ReplicationConnection>;
  /** Signs in as each role that the services use. @throws if the server can't be reached or rejects a role */
  checkLogins(): Promise<void>;
  /**
   * Checks for the readiness report whether requests can use the database. A check that immediately follows responses to
   * requests causes no work.
   * @throws if the server can't be reached or rejects a role
   */
  checkReachable(): Promise<void>;
  /** Returns the current findings about an external server, or an empty list for the embedded server. */
  findings(): Promise<readonly Finding[]>;
  /** Specifies whether the embedded server rejects writes. Sessions of Plinth's superuser can always write. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Applies the numbered SQL files that haven't been applied yet, in the given order. */
  migrate(sets: readonly MigrationSet[]): Promise<number>;
  readonly info: DatabaseInfo;
  /** Returns the data that another process of this Plinth server needs to use the database for requests. */
  member(): Member;
  /** Resets the passwords of Plinth's login roles after PostgreSQL has rejected a member's password. */
  restoreLogins(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The data with which another process signs in to the database. The data contains a password, so it may be sent to that
 * process but must not appear in arguments, environment variables or logs.
 */
export interface Member {
  readonly authenticator: object;
  /** The options for connecting through a pooler, if requests use a pooler. */
  readonly pooled?: object;
  readonly replicas?: MemberReplicas;
  readonly info: Omit<DatabaseInfo, 'url' | 'projectUrl' | 'socketDir'>;
}

/** The options for connecting to the replicas, which can be sent to another process. */
export interface MemberReplicas {
  readonly targets: readonly object[];
  readonly maxLagMs: number;
}

export interface DatabaseInfo {
  /** The connection string for users and ORMs, such as `postgresql://postgres:postgres@127.0.0.1:54322/postgres`. */
  readonly url: string;
  /**
   * The connection string for the project's own code, such as functions. The string contains the role `postgres` if
   * possible, and otherwise the account in {@link url}.
   */
  readonly projectUrl: string;
  readonly embedded: boolean;
  /** Whether the embedded server's cluster already existed before this process started. Undefined if unknown. */
  readonly existed?: boolean;
  /** The version of the server as a number, for example 180004. */
  readonly serverVersion: number;
  /**
   * The folder of the server's Unix socket. This process can create its own sockets in the folder. The value is
   * undefined if Plinth didn't start the server or the server doesn't have a socket.
   */
  readonly socketDir?: string | undefined;
  /**
   * Whether Plinth owns the services' schemas. The value is false for an existing database of the hosted service, in
   * which the services' migrations don't run. In a service's context, this value is `hasOwnTables`.
   */
  readonly ownsSchemas: boolean;
}

/** What is known about a read replica. Reads use only replicas that are `ready`. */
export interface ReplicaState {
  /** The replica's host and port. */
  readonly name: string;
  readonly status: 'ready' | 'lagging' | 'not a standby' | 'unreachable';
  /** How long ago the primary was at the position that the replica has replayed. */
  readonly lagMs: number | undefined;
  readonly error: string | undefined;
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
 * as supabase_admin and in a separate transaction.
 */
export interface MigrationSet {
  readonly module: string;
  readonly dir: URL;
  /**
   * The number of a file that a new database needs directly after the first file. Released files don't change, so a
   * correction that older files need is in a newer file.
   */
  readonly second?: string;
}

export interface ReplicationConnection {
  /**
   * Runs a command in the simple protocol (CREATE_REPLICATION_SLOT …, IDENTIFY_SYSTEM). Returns each row as an object
   * of text values by column name.
   */
  command(text: string): Promise<Record<string, string | null>[]>;
  /**
   * Runs START_REPLICATION. The callback `onMessage` receives each XLogData payload. The connection automatically
   * responds to the server's keepalives with the LSN that was last passed to `acknowledge`.
   */
  stream(
    command: string,
    onMessage: (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void,
  ): { readonly ended: Promise<void> };
  /**
   * Runs BASE_BACKUP. The callback `onPart` receives the beginning and the data of each archive, followed by the
   * beginning and the data of the manifest.
   */
  baseBackup(command: string, onPart: (part: BaseBackupPart) => void): Promise<BaseBackupEnd>;
  /** Runs START_REPLICATION PHYSICAL. The caller must confirm positions with `acknowledge` and {@link sendStatus}. */
  streamWal(command: string, onChunk: (chunk: WalChunk) => void): { readonly ended: Promise<void> };
  /** Sends the confirmed position of a WAL stream immediately, and requests a keepalive from the server. */
  sendStatus(): void;
  /** Confirms that all changes up to `lsn` have been processed. */
  acknowledge(lsn: bigint): void;
  /**
   * Stops reading until {@link resume} is called, so the server waits. Status updates are still sent every few seconds,
   * so that the server doesn't close the connection. Messages that were already read may still arrive.
   */
  pause(): void;
  resume(): void;
  destroy(): void;
}

export type BaseBackupPart =
  /** The beginning of a tablespace's tar archive. */
  | { readonly kind: 'archive' }
  /** The beginning of the backup manifest. */
  | { readonly kind: 'manifest' }
  /** Bytes of the archive or manifest that began most recently. */
  | { readonly kind: 'data'; readonly bytes: Buffer };

export interface BaseBackupEnd {
  /** The start of the backup's WAL. Positions have PostgreSQL's format, such as `0/3000028`. */
  readonly startLsn: string;
  readonly endLsn: string;
  readonly timeline: number;
}

/** A chunk of the WAL. For a keepalive, `bytes` is empty. */
export interface WalChunk {
  readonly start: bigint;
  readonly bytes: Buffer;
  /** The end of the server's WAL at the time when the server sent the chunk. */
  readonly serverEnd: bigint;
  readonly serverTimeMs: number;
}
