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
import { changesPublication } from './catalog.ts';
import { dropAbandoned, dropSlot, endServer, newSlot, type Slot, slotState } from './slot.ts';

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

export function createStream(options: StreamOptions): Stream {
  const { database, log } = options;
  let state: 'closed' | 'opening' | 'live' | 'stopped' = 'closed';
  let connection: ReplicationConnection | undefined;
  let trouble: string | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let running: Promise<void> | undefined;
  let paused = false;
  let heardAt = 0;
  let slot: Slot | undefined;
  /** The server process of the connection. */
  let serverPid = 0;
  /** Permanent slots that are no longer needed but may still exist, each with the process that created it. */
  const leftovers = new Map<string, number>();
  let retainedBytes: number | undefined;
  let warning: string | undefined;
  const progress = new Progress();
  // Only roles with REPLICATION can manage slots and see their connections.
  const pool = () => database.pool('supabase_replication_admin');
  const isStopped = (): boolean => state === 'stopped';

  const open = (): void => {
    if (state !== 'closed') return;
    state = 'opening';
    running = run()
      .then(() => 'the server ended the stream')
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((reason) => {
        connection?.destroy();
        connection = undefined;
        if (state === 'stopped') return;
        state = 'closed';
        trouble = `the stream of changes is interrupted: ${reason}`;
        log.warn({ reason, retryMs }, 'the change stream ended; reopening it');
        retry = setTimeout(open, retryMs);
        retryMs = Math.min(lastRetryMs, retryMs * 2);
      });
  };

  /** Whether the previous stream's slot can be reused. Terminates the server process that remains from that stream. */
  const isResumable = async (): Promise<boolean> => {
    if (slot === undefined) return false;
    const found = slot.permanent ? await slotState(pool(), slot.name) : undefined;
    if (found?.usable !== true) {
      giveUpSlot();
      return false;
    }
    if (found.active_pid !== null) await endServer(pool(), found.active_pid);
    return true;
  };

  const giveUpSlot = (): void => {
    if (slot?.permanent) leftovers.set(slot.name, serverPid);
    slot = undefined;
  };

  const dropLeftovers = async (): Promise<void> => {
    for (const [name, maker] of [...leftovers]) {
      await dropSlot(pool(), name, maker);
      leftovers.delete(name);
    }
  };

  /** Waits until all currently open write transactions have ended. */
  const makeSlot = async (opened: ReplicationConnection): Promise<void> => {
    await dropLeftovers();
    const made = await newSlot(pool(), database.info.serverVersion);
    // The server may have created the slot even if its response is lost.
    slot = made;
    const patience = setTimeout(() => {
      trouble = 'the stream of changes waits for open transactions that have written something';
      log.warn({}, trouble);
    }, slotPatienceMs);
    try {
      const [answer] = await opened.command(
        `CREATE_REPLICATION_SLOT ${made.name} ${made.permanent ? '' : 'TEMPORARY '}LOGICAL pgoutput (SNAPSHOT 'export')`,
      );
      progress.restart();
      await withSnapshot(answer?.snapshot_name ?? '', options.onSnapshot);
    } catch (error) {
      giveUpSlot();
      throw error;
    } finally {
      clearTimeout(patience);
    }
  };

  /**
   * Runs as the tables' owner, because policies and indexes contain project code, which must not run as a role that can
   * create slots. The snapshot exists until the next command on the exporting connection.
   */
  const withSnapshot = async (name: string, work: StreamOptions['onSnapshot']): Promise<void> => {
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
  };

  const run = async (): Promise<void> => {
    const publications = await existingPublications(database);
    const opened = await database.connectReplication();
    connection = opened;
    if (isStopped()) return;
    // Sets the text formats that values are converted from (core/json-text.ts).
    const [server] = await opened.command(
      "select pg_backend_pid() as pid; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex'; set extra_float_digits = 1; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0",
    );
    const seamless = await isResumable();
    serverPid = Number(server?.pid);
    if (!seamless) await makeSlot(opened);
    if (isStopped()) return;
    const decoder = createDecoder(options.wanted);
    heardAt = performance.now();
    paused = false;
    const names = publications.map((name) => `"${name}"`).join(',');
    const { ended } = opened.stream(
      `START_REPLICATION SLOT ${slot?.name} LOGICAL ${lsnText(progress.received)} (proto_version '1', messages 'true', publication_names ${quoteLiteral(names)})`,
      (payload) => {
        heardAt = performance.now();
        if (!progress.admits(payload)) return;
        const event = decoder.decode(payload);
        if (event !== undefined) options.onEvent(event);
      },
    );
    state = 'live';
    trouble = undefined;
    retryMs = firstRetryMs;
    const heart = setInterval(() => {
      if (!paused && performance.now() - heardAt > silenceMs) {
        log.warn({ silenceMs }, 'the change stream is silent');
        opened.destroy();
        return;
      }
      beat(database)
        .then(checkWal)
        .catch((error: unknown) => log.debug({ error }, 'failed to write a heartbeat'));
    }, heartbeatMs).unref();
    options.onLive(seamless);
    try {
      await ended;
    } catch (error) {
      if (seamless && isRefusal(error)) giveUpSlot();
      throw error;
    } finally {
      clearInterval(heart);
    }
  };

  /** Logs high WAL retention. If too much is retained, the stream ends, and the next one begins with a new slot. */
  const checkWal = async (): Promise<void> => {
    const checked = slot;
    const found = checked && (await slotState(pool(), checked.name));
    if (checked === undefined || found === undefined || checked !== slot) return;
    retainedBytes = found.retained_bytes;
    const facts = { slot: checked.name, retainedBytes, maxBytes: options.maxSlotWalBytes };
    if (retainedBytes > options.maxSlotWalBytes) {
      log.error(facts, 'PostgreSQL retains too much WAL for realtime; discarding undelivered changes');
      warning = undefined;
      giveUpSlot();
      connection?.destroy();
    } else if (retainedBytes > options.maxSlotWalBytes / 2) {
      if (warning === undefined) log.warn(facts, 'PostgreSQL retains a lot of WAL for realtime');
      warning = `PostgreSQL keeps ${Math.round(retainedBytes / 1024 ** 2)} MiB of WAL for the stream of changes; beyond ${Math.round(options.maxSlotWalBytes / 1024 ** 2)} MiB they are given up`;
    } else warning = undefined;
  };

  const dropInTime = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellMs);
    });
    await Promise.race([dropLeftovers(), late]).catch((error: unknown) =>
      log.warn({ error }, 'failed to drop the replication slot; the next start drops it'),
    );
    clearTimeout(timer);
  };

  return {
    open,
    get live() {
      return state === 'live';
    },
    get trouble() {
      return trouble ?? warning;
    },
    get report() {
      const { maxSlotWalBytes } = options;
      return {
        state: state === 'stopped' ? 'closed' : state,
        trouble: trouble ?? warning,
        slot: slot && { ...slot, retainedBytes, maxBytes: maxSlotWalBytes },
      };
    },
    acknowledge(lsn) {
      connection?.acknowledge(lsn);
    },
    pause() {
      if (paused) return;
      paused = true;
      connection?.pause();
    },
    resume() {
      if (!paused) return;
      paused = false;
      heardAt = performance.now();
      connection?.resume();
    },
    async checkSlots() {
      const dropped = await dropAbandoned(database, slot?.name);
      if (dropped.length > 0) log.info({ slots: dropped }, 'dropped abandoned replication slots');
      await checkWal();
    },
    async stop() {
      state = 'stopped';
      clearTimeout(retry);
      connection?.destroy();
      await running;
      giveUpSlot();
      await dropInTime();
    },
  };
}

/** Whether the server responded that it can't serve the slot. */
function isRefusal(error: unknown): boolean {
  return /^(42704|55000|58P01)$/.test((error as Partial<PostgresErrorShape>).code ?? '');
}

async function beat(database: Database): Promise<void> {
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
