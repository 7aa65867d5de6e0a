/**
 * What the other rooms may ask of the database.
 *
 * Glossary. *Login role*: the role a connection signs in as. *Request context*: role, claims and the settings of
 * one client request, always set with `set_config(…, true)` and gone at the end of its transaction.
 * *Request path*: the one-write way of `rest` (Bind/Execute set_config, Bind/Execute statement, Sync).
 */
import type { Sql } from '../kernel/sql.ts';

/** Roles our own pools sign in as. Never `supabase_admin` for anything that runs a user's code. */
export type LoginRole =
  | 'supabase_admin'
  | 'postgres'
  | 'authenticator'
  | 'supabase_auth_admin'
  | 'supabase_storage_admin'
  | 'supabase_realtime_admin'
  /** The only one with REPLICATION. It runs replication commands and functions of `pg_catalog`, and no code of a project's. */
  | 'supabase_replication_admin'
  | 'supabase_functions_admin'
  | 'supabase_read_only_user';

/**
 * A row. Decoded by type: bool to boolean; int2, int4, oid, int8, float4, float8 to number; json and jsonb parsed;
 * bytea to Buffer; text, uuid, numeric, dates and times to string in PostgreSQL's ISO text (session time zone UTC);
 * one-dimensional arrays of these to arrays. Everything else is its text.
 */
export type Row = Record<string, unknown>;

export interface Queryable {
  /** One statement; rows as objects. Throws {@link PostgresErrorShape}. */
  query<R extends object = Row>(statement: Sql): Promise<R[]>;
  /** One statement; every value as PostgreSQL's text or null, with column names and type oids. For grids and exports. */
  queryText(statement: Sql): Promise<TextResult>;
  /** One or many statements without parameters (simple protocol), for scripts. */
  exec(text: string): Promise<void>;
}

export interface TextResult {
  readonly columns: readonly { readonly name: string; readonly typeOid: number; readonly tableOid: number }[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** For example `SELECT 3`. */
  readonly commandTag: string;
}

/** A row as bytes in PostgreSQL's text format; good only until whoever was handed it returns. Columns count from 0. */
export interface RawRow {
  readonly buffer: Buffer;
  /** Where a cell begins in `buffer`; -1 for null. */
  start(column: number): number;
  /** Behind its last byte. */
  end(column: number): number;
  text(column: number): string | null;
}

export interface Transaction extends Queryable {
  /** Runs `work` inside a savepoint; an error rolls back to it and is thrown on. */
  savepoint<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** The outermost one, not a savepoint's. */
export interface WholeTransaction extends Transaction {
  /** The last statements and COMMIT in one write, so one round trip; nothing may follow. An error undoes everything. */
  finish(statements: readonly Sql[]): Promise<void>;
}

export interface TransactionOptions {
  readonly readOnly?: boolean;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** Settings local to the transaction, in this order, set in one round trip with BEGIN. */
  readonly settings?: readonly Setting[];
  /** Statements that travel with BEGIN, behind the settings; `work` gets the rows of each. */
  readonly first?: readonly Sql[];
  /** `rollback`: everything is undone even when `work` succeeds (authorisation probes, previews). */
  readonly end?: 'commit' | 'rollback';
  readonly signal?: AbortSignal | undefined;
}

/** Of statements that need nothing decided between them. */
export type StatementsOptions = Pick<TransactionOptions, 'readOnly' | 'isolation' | 'settings' | 'end'>;

/** Asked now and then, so no listener is needed; an AbortSignal is one. `reason` is what the caller gets to see. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** `rows`: of {@link TransactionOptions.first}. */
export type TransactionWork<T> = (tx: WholeTransaction, rows: readonly (readonly object[])[]) => Promise<T>;

/** Name and value, as for `set_config`. */
export type Setting = readonly [name: string, value: string];

export interface Pool extends Queryable {
  readonly role: LoginRole;
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /** A transaction of these statements alone, in one round trip; the rows of each. */
  statements(statements: readonly Sql[], options?: StatementsOptions): Promise<(readonly object[])[]>;
  /**
   * A transaction of one statement, in one round trip, its rows handed to `onRow` as they come. They count only once this
   * has resolved: the transaction may still fail behind the last of them.
   */
  rows(statement: Sql, onRow: (row: RawRow) => void, options?: StatementsOptions): Promise<void>;
  /** A connection for oneself (LISTEN, session locks, long work). Must be released; a broken one is thrown away. */
  connect(): Promise<Session>;
}

export interface Session extends Queryable {
  transaction<T>(work: TransactionWork<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Discards everything that statements have left in the session: an open transaction, role, settings, temporary tables,
   * prepared statements, cursors, advisory locks. Afterwards no statement of ours has a name on the server either, so that
   * a script may use and deallocate any name.
   */
  reset(): Promise<void>;
  release(): void;
  /** Ends the connection instead of giving it back. */
  destroy(): void;
  /** Server process id, for pg_cancel_backend and logs. */
  readonly processId: number;
  /**
   * One statement as somebody wrote it, prepared and thrown away. Its rows are handed on as they come. Text that holds
   * several statements is refused by the server (42601).
   */
  runCapped(text: string, rows: CappedRows): Promise<CappedEnd>;
  /** Asks the server to cancel what runs at this moment; resolves once the request was passed on. */
  cancel(): Promise<void>;
  /** What the server says beside its answers, until the session is given back. */
  onNotice(listener: (notice: NoticeShape) => void): void;
}

/** A connection that signed in as its role, whichever that is, so that nothing leads back to another. */
export interface RoleSession {
  readonly processId: number;
  /**
   * A script as the simple protocol takes it, outside a transaction if it is one statement. Rows are counted and
   * dropped. Resolves with the command tag of its last statement, or the count of the rows that it gave.
   */
  run(text: string): Promise<{ readonly commandTag: string; readonly rowCount: number | undefined }>;
  /** Asks the server to cancel what runs. */
  cancel(): Promise<void>;
  end(): Promise<void>;
}

/** Takes the rows of {@link Session.runCapped}. */
export interface CappedRows {
  readonly maxRows: number;
  /** Of a cell's UTF-8 text; what is behind it is not even read into memory. Row and column count from 0. */
  readonly maxCellBytes: number | ((row: number, column: number) => number);
  columns(columns: TextResult['columns']): void;
  /** `cut`: places of the cells that were cut. `flow` stops and resumes the connection. */
  row(
    cells: readonly (string | null)[],
    cut: readonly number[],
    flow: Pick<RowFlow, 'pause' | 'resume'>,
  ): void;
}

export interface CappedEnd {
  /** Empty for an empty statement, and when there were more rows than wanted. */
  readonly commandTag: string;
  /** There were more rows; the statement was not run to its end for them. */
  readonly more: boolean;
  /** It left the session within a transaction. */
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

/** The fields of PostgreSQL's ErrorResponse. `code` is the SQLSTATE. The class is `PostgresError` of `wire/`. */
export interface PostgresErrorShape extends Error {
  readonly code: string;
  readonly severity: string;
  readonly detail?: string;
  readonly hint?: string;
  /** 1-based character position in the statement. */
  readonly position?: number;
  /** 1-based, in `internalQuery`: text that the server ran or parsed itself, such as the body of a function. */
  readonly internalPosition?: number;
  readonly internalQuery?: string;
  readonly where?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly dataType?: string;
  readonly constraint?: string;
  /** The function of PostgreSQL's sources that reported it; unlike the message never translated. */
  readonly routine?: string;
}

/** One request of the REST service on the way to PostgreSQL. */
export interface PathRequest {
  /** The claims' role. Statements are prepared under role + key, since a plan is bound to the role. */
  readonly role: string;
  /** Every local setting in order, `role` and `search_path` included. */
  readonly settings: readonly Setting[];
  /** `key` names the shape: equal keys have equal text. */
  readonly statement: { readonly key: string; readonly text: string };
  /** Text format; bytes are sent as they are (a JSON body, for instance). */
  readonly params: readonly (string | Uint8Array | null)[];
  readonly access: 'read only' | 'read write';
  /** Statements before and after the main one in the same transaction (pre-request function, EXPLAIN for counts). */
  readonly before?: readonly PathStatement[];
  readonly after?: readonly PathStatement[];
  /**
   * Needed only where somebody must decide between commit and rollback after seeing the result, or where an isolation
   * level is asked for: then BEGIN … COMMIT is used instead of the implicit transaction.
   */
  readonly explicit?: {
    readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
    /** Called with the results; `rollback` also checks deferred constraints first (SET CONSTRAINTS ALL IMMEDIATE). */
    readonly decide: (result: PathResult) => 'commit' | 'rollback';
  };
  /** `shared`: known to be quick, may travel behind others on a connection. `alone`: gets a connection for itself. */
  readonly lane: 'shared' | 'alone';
  /** True: session state is reset afterwards (volatile functions may leave locks, temp tables, settings). */
  readonly resetAfter?: boolean;
  /** The client went away: cancels the statement when nobody else is in flight on that connection. */
  readonly signal?: Cancellation;
  /** For a main statement whose answer may be large; without it all rows are held in memory. */
  readonly overflow?: Overflow;
  /** The main statement's rows have one cell, and are wanted joined by these bytes, at most 11. */
  readonly joinWith?: Uint8Array;
}

/** Where a main statement's rows go that are too many, or too large, for memory. */
export interface Overflow {
  /** The cell of a row that is stored; the others stay in memory. */
  readonly column: number;
  /** Rows up to this many bytes are nobody's concern. */
  readonly freeBytes: number;
  /** A store for one execution of the statement. */
  open(flow: RowFlow, signal: Cancellation | undefined): RowStore;
}

/** What a store asks of the connection whose rows it takes. */
export interface RowFlow {
  pause(): void;
  resume(): void;
  /** There is no place for the rest, or nobody wants it: the statement is cancelled where that hits nobody else. */
  refuse(): void;
}

export interface RowStore {
  /** The bytes of rows that may stay in memory, at least `sizeBytes`; undefined: from now on cells are written. */
  keep(sizeBytes: number): number | undefined;
  /** A cell of this size comes next, in one or several writes. */
  begin(sizeBytes: number): void;
  /** Bytes `start` to `end`, copied. */
  write(buffer: Buffer, start: number, end: number): void;
  /** Cells that were written. */
  readonly cells: number;
  /** All of them and what stands between them. */
  readonly sizeBytes: number;
  /** Resolves once everything is stored. Throws why it cannot be. */
  finish(): Promise<void>;
  /** Why the rows were refused, as far as that is known by now. */
  readonly failure: unknown;
  /** What was written; a piece is valid until the next is asked for. */
  chunks(): AsyncIterable<Buffer>;
  /** Gives everything back; may be called at any time, and again. */
  free(): void;
}

export interface PathStatement {
  readonly key: string;
  readonly text: string;
  readonly params: readonly (string | Uint8Array | null)[];
}

export interface PathResult {
  /**
   * Rows of the main statement: raw text-format bytes, unparsed. Of stored ones only the cells that were not stored; with
   * `joinWith` pieces of the text, between which it still belongs.
   */
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** How many the statement gave. */
  readonly rowCount: number;
  /** When the rows were many or large: to be finished before, and freed after, whatever is done with them. */
  readonly stored: RowStore | undefined;
  readonly columns: readonly string[];
  readonly commandTag: string;
  readonly before: readonly (readonly (readonly (Buffer | null)[])[])[];
  readonly after: readonly (readonly (readonly (Buffer | null)[])[])[];
}

export interface RequestPath {
  /** Resolves after ReadyForQuery, never earlier (deferred constraints fail only there). */
  execute(request: PathRequest): Promise<PathResult>;
  stop(): Promise<void>;
}

/** Role, claims and headers of a client request, for services that need several statements (storage, realtime). */
export interface RequestContext {
  readonly role: string;
  /** The settings besides `role`: request.jwt.claims, request.headers, storage.operation … */
  readonly settings: readonly Setting[];
}

export interface Database {
  /** One pool a login role, made at first use, small, with idle connections closed after a while. */
  pool(role: LoginRole): Pool;
  /** For code of a role that need not be one of ours, in a database of the server. @throws when it may not sign in. */
  signIn(role: string, database: string): Promise<RoleSession>;
  /** A transaction on the authenticator's pool with the context set locally. */
  asRequest<T>(
    context: RequestContext,
    work: (tx: Transaction) => Promise<T>,
    options?: Omit<TransactionOptions, 'settings'>,
  ): Promise<T>;
  /** As {@link Database.asRequest}, for statements that need nothing decided between them: one round trip. */
  statementsAsRequest(
    context: RequestContext,
    statements: readonly Sql[],
    options?: Omit<StatementsOptions, 'settings'>,
  ): Promise<(readonly object[])[]>;
  /** As {@link Pool.rows}, with the context set locally. */
  rowsAsRequest(
    context: RequestContext,
    statement: Sql,
    onRow: (row: RawRow) => void,
    options?: Omit<StatementsOptions, 'settings'>,
  ): Promise<void>;
  /** The REST service's path; its own few connections as `authenticator`. */
  readonly requestPath: RequestPath;
  /**
   * NOTIFY on one shared connection that heals itself; `onLost` runs when it is lost, `onReconnect` when it is back.
   * Returns the undo.
   */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onReconnect?: () => void,
    onLost?: () => void,
  ): Promise<() => Promise<void>>;
  /** A walsender connection in database mode, as supabase_replication_admin. */
  connectReplication(): Promise<ReplicationConnection>;
  /** Applies the numbered files that are not yet applied, in the order given. */
  migrate(sets: readonly MigrationSet[]): Promise<void>;
  readonly info: DatabaseInfo;
  stop(): Promise<void>;
}

export interface DatabaseInfo {
  /** For people and ORMs: `postgresql://postgres:postgres@127.0.0.1:54322/postgres`. */
  readonly url: string;
  /** For the project's own code, its functions: as `postgres`, unless the account of {@link url} is the only one there. */
  readonly projectUrl: string;
  readonly embedded: boolean;
  /** For example 180004. */
  readonly serverVersion: number;
  /** The server's folder for sockets, where we may listen for it; undefined where it is not our server or has none. */
  readonly socketDir?: string | undefined;
  /** False: somebody else's database of the hosted service; no service migration is run there. */
  readonly ownsSchemas: boolean;
}

/** `dir` holds files `NNNN_subject.sql`, each applied once, in one transaction, as supabase_admin. */
export interface MigrationSet {
  readonly room: string;
  readonly dir: URL;
}

export interface ReplicationConnection {
  /** Simple-protocol command (CREATE_REPLICATION_SLOT …, IDENTIFY_SYSTEM); rows as text by column name. */
  command(text: string): Promise<Record<string, string | null>[]>;
  /** START_REPLICATION; `onMessage` gets each XLogData payload. Keepalives are answered by itself with `acknowledge`d LSNs. */
  stream(
    command: string,
    onMessage: (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void,
  ): { readonly ended: Promise<void> };
  /** Tells the server that everything up to `lsn` is done. */
  acknowledge(lsn: bigint): void;
  /**
   * Stops reading until {@link resume}, so that the server waits. It is still told every few seconds how far we are, and
   * does not take us for dead. A few messages that were read already may still come.
   */
  pause(): void;
  resume(): void;
  destroy(): void;
}
