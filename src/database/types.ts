/**
 * The interface of the database module.
 *
 * Glossary. *Login role*: the role a connection signs in as. *Request context*: role, claims and settings of a client
 * request, always set with `set_config(…, true)` and gone at the end of its transaction. *Request path*: the way `rest`
 * sends a request in one write (Bind/Execute set_config, Bind/Execute statement, Sync).
 */
import type { Sql } from '../kernel/sql.ts';

export type { PostgresErrorShape } from '../shared/postgres-error.ts';

/** Roles that our own pools sign in as. `supabase_admin` is never used for anything that runs a user's code. */
export type LoginRole =
  | 'supabase_admin'
  | 'postgres'
  | 'authenticator'
  | 'supabase_auth_admin'
  | 'supabase_storage_admin'
  | 'supabase_realtime_admin'
  /**
   * The only role with REPLICATION. It runs replication commands and functions of `pg_catalog`, and none of a project's
   * code.
   */
  | 'supabase_replication_admin'
  | 'supabase_functions_admin'
  | 'supabase_read_only_user';

/**
 * A row, decoded by type: bool to boolean; int2, int4, oid, int8, float4, float8 to number; json and jsonb parsed;
 * bytea to Buffer; text, uuid, numeric, dates and times to string in PostgreSQL's ISO format (session time zone UTC);
 * one-dimensional arrays of these to arrays. All other types are returned as text.
 */
export type Row = Record<string, unknown>;

export interface Queryable {
  /** Runs one statement and returns rows as objects. @throws {PostgresErrorShape} */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
  /**
   * Runs one statement and returns every value as PostgreSQL's text or null, with column names and type OIDs. For grids
   * and exports.
   */
  queryText(statement: Sql): Promise<TextResult>;
  /** Runs one or more statements without parameters (simple protocol), for scripts. */
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
  /** Runs `work` inside a savepoint. An error rolls back to it and is rethrown. */
  savepoint<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** The outermost transaction, as opposed to a savepoint. */
export interface WholeTransaction extends Transaction {
  /**
   * Sends the last statements and COMMIT in one write, so in one round trip. No statement may follow. An error rolls
   * everything back.
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
  /** With `rollback`, everything is rolled back even if `work` succeeds (authorization probes, previews). */
  readonly end?: 'commit' | 'rollback';
  readonly signal?: AbortSignal | undefined;
}

/** Options for statements that don't depend on each other's results. */
export type StatementsOptions = Pick<TransactionOptions, 'readOnly' | 'isolation' | 'settings' | 'end'>;

/** Polled, so it needs no listener. An AbortSignal qualifies. `reason` is passed to the caller. */
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
   * valid only once the promise has resolved, because the transaction may still fail after the last of them.
   */
  rows(statement: Sql, onRow: (row: RawRow) => void, options?: StatementsOptions): Promise<void>;
  /**
   * Reserves a connection (for LISTEN, session locks or long work). It must be released. A broken connection is
   * discarded.
   */
  connect(): Promise<Session>;
}

export interface Session extends Queryable {
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Discards all session state: an open transaction, role, settings, temporary tables, prepared statements, cursors,
   * advisory locks. Our own statements aren't prepared on the server afterwards, so that a script can use and
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
  /** Asks the server to cancel the running statement. Resolves once the request was delivered. */
  cancel(): Promise<void>;
  /** Calls `listener` with the server's notices until the session is released. */
  onNotice(listener: (notice: NoticeShape) => void): void;
}

/** A connection that signed in as its role itself, so that SQL can't switch back to another role. */
export interface RoleSession {
  readonly processId: number;
  /**
   * Runs a script with the simple protocol, outside a transaction if it is a single statement. Rows are counted and
   * discarded. Resolves with the command tag of the last statement, or with its row count.
   */
  run(text: string): Promise<{ readonly commandTag: string; readonly rowCount: number | undefined }>;
  /** Asks the server to cancel the running statement. */
  cancel(): Promise<void>;
  end(): Promise<void>;
}

/** Receives the rows of {@link Session.runCapped}. */
export interface CappedRows {
  readonly maxRows: number;
  /** The limit of a cell's UTF-8 text. The rest isn't even read into memory. Row and column count from 0. */
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
  /** Whether there were more rows. The statement was stopped in that case. */
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

/** A request of the REST service to PostgreSQL. */
export interface PathRequest {
  /** The role from the claims. Statements are prepared under role and key, because a plan is bound to the role. */
  readonly role: string;
  /** All local settings in order, including `role` and `search_path`. */
  readonly settings: readonly Setting[];
  /** `key` identifies the shape: equal keys have equal text. */
  readonly statement: { readonly key: string; readonly text: string };
  /** Parameters in text format. Bytes are sent unchanged (for example a JSON body). */
  readonly params: readonly (string | Uint8Array | null)[];
  readonly access: 'read only' | 'read write';
  /** Statements before and after the main one in the same transaction (pre-request function, EXPLAIN for counts). */
  readonly before?: readonly PathStatement[];
  readonly after?: readonly PathStatement[];
  /**
   * Needed only if the caller must see the result before it decides between commit and rollback, or if an isolation
   * level is requested. BEGIN … COMMIT then replaces the implicit transaction.
   */
  readonly explicit?: {
    readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
    /** Called with the results. `rollback` also checks deferred constraints first (SET CONSTRAINTS ALL IMMEDIATE). */
    readonly decide: (result: PathResult) => 'commit' | 'rollback';
  };
  /**
   * `shared`: known to be fast, so it can be queued behind others on a connection. `alone`: needs a connection for
   * itself.
   */
  readonly lane: 'shared' | 'alone';
  /**
   * Whether session state is reset afterwards, because volatile functions may leave locks, temporary tables or
   * settings.
   */
  readonly resetAfter?: boolean;
  /**
   * Aborted when the client disconnects. The statement is canceled if no other request is in flight on the connection.
   */
  readonly signal?: Cancellation;
  /** The destination of a potentially large result. Without it, all rows are held in memory. */
  readonly overflow?: Overflow;
  /** Joins the main statement's rows, which must have a single cell, with these bytes (at most 11). */
  readonly joinWith?: Uint8Array;
}

/** Stores the rows of a main statement that are too many or too large for memory. */
export interface Overflow {
  /** The column whose cells are stored. The other cells stay in memory. */
  readonly column: number;
  /** Rows up to this many bytes stay in memory without any accounting. */
  readonly freeBytes: number;
  /** Opens a store for one execution of the statement. */
  open(flow: RowFlow, signal: Cancellation | undefined): RowStore;
}

/** Controls the connection that delivers the rows to a store. */
export interface RowFlow {
  pause(): void;
  resume(): void;
  /**
   * Rejects the remaining rows because there is no space or no reader. The statement is canceled if this affects no
   * other request.
   */
  refuse(): void;
}

export interface RowStore {
  /**
   * Returns the number of bytes that may stay in memory, at least `sizeBytes`, or undefined if cells must be written
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
  /** Why the rows were rejected, if known yet. */
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
   * The rows of the main statement as raw bytes in text format. If rows are stored, only the other cells. With
   * `joinWith`, pieces of the text, between which the separator is still missing.
   */
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** The number of rows that the statement returned. */
  readonly rowCount: number;
  /** Set if the rows were many or large. Call `finish` before you use it and `free` afterwards. */
  readonly stored: RowStore | undefined;
  readonly columns: readonly string[];
  readonly commandTag: string;
  readonly before: readonly (readonly (readonly (Buffer | null)[])[])[];
  readonly after: readonly (readonly (readonly (Buffer | null)[])[])[];
}

export interface RequestPath {
  /** Resolves after ReadyForQuery, never earlier, because deferred constraints only fail there. */
  execute(request: PathRequest): Promise<PathResult>;
  stop(): Promise<void>;
}

/** Role, claims and headers of a client request, for services that run several statements (storage, realtime). */
export interface RequestContext {
  readonly role: string;
  /** The settings besides `role`: request.jwt.claims, request.headers, storage.operation … */
  readonly settings: readonly Setting[];
}

export interface Database {
  /** Returns the pool of a login role. It is created on first use and small, and idle connections are closed. */
  pool(role: LoginRole): Pool;
  /**
   * Opens a session for code of any role in any database of the server. @throws if the role isn't allowed to sign in.
   */
  signIn(role: string, database: string): Promise<RoleSession>;
  /** Runs a transaction on the authenticator's pool with the context set locally. */
  asRequest<T>(
    context: RequestContext,
    work: (tx: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'settings'>,
  ): Promise<T>;
  /** Like {@link Database.asRequest}, for statements that don't depend on each other's results: one round trip. */
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
  /** The request path of the REST service, with a few separate connections as `authenticator`. */
  readonly requestPath: RequestPath;
  /**
   * Receives NOTIFY on one shared connection that reconnects automatically. `onLost` runs when it is lost and
   * `onReconnect` when it is back. Returns a function that stops listening.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  /** Opens a walsender connection in database mode as supabase_replication_admin. */
  connectReplication(): Promise<ReplicationConnection>;
  /** Applies the numbered files that haven't been applied, in the given order. */
  migrate(sets: readonly MigrationSet[]): Promise<void>;
  readonly info: DatabaseInfo;
  stop(): Promise<void>;
}

export interface DatabaseInfo {
  /** The connection string for users and ORMs: `postgresql://postgres:postgres@127.0.0.1:54322/postgres`. */
  readonly url: string;
  /**
   * The connection string for the project's own code, such as functions. It uses `postgres`, unless the account of
   * {@link url} is the only one.
   */
  readonly projectUrl: string;
  readonly embedded: boolean;
  /** For example 180004. */
  readonly serverVersion: number;
  /** The server's socket folder, in which we can listen. Undefined if the server isn't ours or has none. */
  readonly socketDir?: string | undefined;
  /** False for an existing database of the hosted service, on which no service migration runs. */
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
   * Runs START_REPLICATION. `onMessage` receives each XLogData payload. Keepalives are answered automatically with
   * `acknowledge`d LSNs.
   */
  stream(
    command: string,
    onMessage: (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void,
  ): { readonly ended: Promise<void> };
  /** Confirms to the server that everything up to `lsn` is processed. */
  acknowledge(lsn: bigint): void;
  /**
   * Stops reading until {@link resume}, so that the server waits. Status updates are still sent every few seconds, so
   * the server doesn't time out. A few messages that were already read may still arrive.
   */
  pause(): void;
  resume(): void;
  destroy(): void;
}
