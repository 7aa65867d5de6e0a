/**
 * The logical decoding stream of this process: rows of the user-managed publication and of realtime.messages, in commit
 * order. The stream is opened when the first channel needs it, because creating a slot waits for all open write
 * transactions in the cluster and startup must not wait for them. When the stream ends, it is reopened on the same slot
 * if the slot still exists, so nothing is missed. Otherwise, a new slot is created.
 */
import type { Database, PostgresErrorShape, ReplicationConnection } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { quoteLiteral, sql } from '../../kernel/sql.ts';
import { createDecoder, type Relation, type ReplicationEvent } from '../core/pgoutput.ts';
import { lsnText, Progress } from '../core/progress.ts';
import type { StreamReport } from '../types.ts';
import { changesPublication } from './catalog-queries.ts';
import { dropAbandoned } from './slot.ts';
import { StreamSlot } from './stream-slot.ts';

export const messagesPublication = 'supabase_realtime_messages_publication';

export interface StreamOptions {
  readonly database: Database;
  readonly log: Logger;
  /**
   * The WAL that PostgreSQL may retain for this stream. Beyond it, the stream restarts and skips the missed changes.
   */
  readonly maxSlotWalBytes: number;
  readonly wanted: (relation: Relation) => boolean;
  readonly onEvent: (event: ReplicationEvent) => void;
  /**
   * Runs in the transaction with the slot's initial snapshot: rows visible in it were committed before the stream, and
   * all others arrive through the stream.
   */
  readonly onSnapshot: (command: ReplicationConnection['command']) => Promise<void>;
  /** `seamless` is true if the stream continues where the previous one ended, so nothing was missed. */
  readonly onLive: (seamless: boolean) => void;
}

export interface Stream {
  /** Opens the stream if it is closed. */
  open(): void;
  readonly live: boolean;
  /** The error message while the stream is wanted but isn't live or retains too much WAL. */
  readonly trouble: string | undefined;
  readonly report: StreamReport;
  acknowledge(lsn: bigint): void;
  /** Stops reading so that PostgreSQL retains the changes that follow. Reset when a stream begins. */
  pause(): void;
  resume(): void;
  /** Checks the retained WAL and drops abandoned slots. */
  checkSlots(): Promise<void>;
  stop(): Promise<void>;
}

const firstRetryMs = 200;
const lastRetryMs = 10_000;
const slotPatienceMs = 5_000;
/**
 * The interval of Plinth's own messages that return through the stream. They show that the stream is alive. They also
 * advance the slot while other transactions only write to unpublished tables, so that WAL doesn't accumulate.
 */
const heartbeatMs = 30_000;
const silenceMs = 120_000;
const farewellMs = 3_000;

export const createStream = (options: StreamOptions): Stream => new ReplicationStream(options);

class ReplicationStream implements Stream {
  readonly #options: StreamOptions;
  readonly #slot: StreamSlot;
  readonly #progress = new Progress();
  #state: 'closed' | 'opening' | 'live' | 'stopped' = 'closed';
  #connection: ReplicationConnection | undefined;
  #trouble: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = firstRetryMs;
  #running: Promise<void> | undefined;
  #paused = false;
  #heardAt = 0;

  constructor(options: StreamOptions) {
    const { database, log, maxSlotWalBytes } = options;
    this.#options = options;
    this.#slot = new StreamSlot({
      pool: () => database.pool('supabase_replication_admin'),
      log,
      maxWalBytes: maxSlotWalBytes,
    });
  }

  get live(): boolean {
    return this.#state === 'live';
  }

  get trouble(): string | undefined {
    return this.#trouble ?? this.#slot.warning;
  }

  get report(): StreamReport {
    const state = this.#state === 'stopped' ? 'closed' : this.#state;
    return { state, trouble: this.trouble, slot: this.#slot.report };
  }

  open(): void {
    if (this.#state !== 'closed') return;
    this.#state = 'opening';
    this.#running = this.#run()
      .then(() => 'the server ended the stream')
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((reason) => this.#onEnd(reason));
  }

  acknowledge(lsn: bigint): void {
    this.#connection?.acknowledge(lsn);
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#connection?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#heardAt = performance.now();
    this.#connection?.resume();
  }

  async checkSlots(): Promise<void> {
    const { database, log } = this.#options;
    const dropped = await dropAbandoned(database, this.#slot.name);
    if (dropped.length > 0) log.info({ slots: dropped }, 'dropped abandoned replication slots');
    await this.#checkWal();
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#retry);
    this.#connection?.destroy();
    await this.#running;
    this.#slot.giveUp();
    await this.#dropInTime();
  }

  get #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  async #run(): Promise<void> {
    const { database } = this.#options;
    const publications = await existingPublications(database);
    const opened = await database.connectReplication();
    this.#connection = opened;
    if (this.#isStopped) return;
    // Sets the text formats that values are converted from (core/json-text.ts).
    const [server] = await opened.command(
      "select pg_backend_pid() as pid; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex'; set extra_float_digits = 1; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0",
    );
    const seamless = await this.#slot.isResumable();
    this.#slot.serverPid = Number(server?.pid);
    if (!seamless) await this.#makeSlot(opened);
    if (this.#isStopped) return;
    const ended = this.#read(opened, publications);
    this.#state = 'live';
    this.#trouble = undefined;
    this.#retryMs = firstRetryMs;
    const heart = setInterval(() => this.#beat(opened), heartbeatMs).unref();
    this.#options.onLive(seamless);
    try {
      await ended;
    } catch (error) {
      if (seamless && isRefusal(error)) this.#slot.giveUp();
      throw error;
    } finally {
      clearInterval(heart);
    }
  }

  #onEnd(reason: string): void {
    this.#connection?.destroy();
    this.#connection = undefined;
    if (this.#isStopped) return;
    this.#state = 'closed';
    this.#trouble = `the stream of changes is interrupted: ${reason}`;
    const retryMs = this.#retryMs;
    this.#options.log.warn({ reason, retryMs }, 'the change stream ended; reopening it');
    this.#retry = setTimeout(() => this.open(), retryMs);
    this.#retryMs = Math.min(lastRetryMs, retryMs * 2);
  }

  /** Starts the stream. The returned promise settles when it ends. */
  #read(opened: ReplicationConnection, publications: readonly string[]): Promise<void> {
    const { wanted, onEvent } = this.#options;
    const decoder = createDecoder(wanted);
    this.#heardAt = performance.now();
    this.#paused = false;
    const names = publications.map((name) => `"${name}"`).join(',');
    const { ended } = opened.stream(
      `START_REPLICATION SLOT ${this.#slot.name} LOGICAL ${lsnText(this.#progress.received)} (proto_version '1', messages 'true', publication_names ${quoteLiteral(names)})`,
      (payload) => {
        this.#heardAt = performance.now();
        if (!this.#progress.admits(payload)) return;
        const event = decoder.decode(payload);
        if (event !== undefined) onEvent(event);
      },
    );
    return ended;
  }

  /** Waits until all currently open write transactions have ended. */
  async #makeSlot(opened: ReplicationConnection): Promise<void> {
    const { database, log, onSnapshot } = this.#options;
    await this.#slot.dropLeftovers();
    const { name, permanent } = await this.#slot.choose(database.info.serverVersion);
    const patience = setTimeout(() => {
      this.#trouble = 'the stream of changes waits for open transactions that have written something';
      log.warn({}, this.#trouble);
    }, slotPatienceMs);
    try {
      const [answer] = await opened.command(
        `CREATE_REPLICATION_SLOT ${name} ${permanent ? '' : 'TEMPORARY '}LOGICAL pgoutput (SNAPSHOT 'export')`,
      );
      this.#progress.restart();
      await withSnapshot(database, answer?.snapshot_name ?? '', onSnapshot);
    } catch (error) {
      this.#slot.giveUp();
      throw error;
    } finally {
      clearTimeout(patience);
    }
  }

  #beat(opened: ReplicationConnection): void {
    const { database, log } = this.#options;
    if (!this.#paused && performance.now() - this.#heardAt > silenceMs) {
      log.warn({ silenceMs }, 'the change stream is silent');
      opened.destroy();
      return;
    }
    writeHeartbeat(database)
      .then(() => this.#checkWal())
      .catch((error: unknown) => log.debug({ error }, 'failed to write a heartbeat'));
  }

  /** If too much WAL is retained, the stream ends, and the next one begins with a new slot. */
  async #checkWal(): Promise<void> {
    if (!(await this.#slot.checkWal())) this.#connection?.destroy();
  }

  async #dropInTime(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellMs);
    });
    await Promise.race([this.#slot.dropLeftovers(), late]).catch((error: unknown) =>
      this.#options.log.warn({ error }, 'failed to drop the replication slot; the next start drops it'),
    );
    clearTimeout(timer);
  }
}

/**
 * Runs as the tables' owner, because policies and indexes contain project code, which must not run as a role that can
 * create slots. The snapshot exists until the next command on the exporting connection.
 */
async function withSnapshot(
  database: Database,
  name: string,
  work: StreamOptions['onSnapshot'],
): Promise<void> {
  const session = await database.pool('supabase_realtime_admin').connect();
  try {
    await session.exec(
      `begin isolation level repeatable read read only; set transaction snapshot ${quoteLiteral(name)}`,
    );
    await work(async (text) => {
      const { columns, rows } = await session.queryText(sql`${sql.raw(text)}`);
      return rows.map((row) =>
        Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null])),
      );
    });
    await session.exec('commit');
  } finally {
    session.release();
  }
}

/** Whether the server responded that it can't serve the slot. */
function isRefusal(error: unknown): boolean {
  return /^(42704|55000|58P01)$/.test((error as Partial<PostgresErrorShape>).code ?? '');
}

async function writeHeartbeat(database: Database): Promise<void> {
  await database
    .pool('supabase_realtime_admin')
    .query(sql`select pg_logical_emit_message(true, 'plinth.realtime', 'heartbeat')`);
}

/** Before PostgreSQL 18, a stream fails if it requests a publication that doesn't exist. */
async function existingPublications(database: Database): Promise<string[]> {
  const rows = await database
    .pool('supabase_realtime_admin')
    .query<{ name: string }>(
      sql`select pubname as name from pg_catalog.pg_publication where pubname in (${changesPublication}, ${messagesPublication})`,
    );
  if (database.info.serverVersion >= 180000) return [changesPublication, messagesPublication];
  return rows.map(({ name }) => name);
}
