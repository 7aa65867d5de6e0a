/**
 * The one logical decoding stream: rows of the users' publication and of realtime.messages, in commit order. It is
 * opened when the first channel needs it (making a slot waits for every open writing transaction of the cluster, so a
 * start must not), has a temporary slot of its own, and is opened anew with a fresh one whenever it ends.
 */
import { randomBytes } from 'node:crypto';
import type { Database, ReplicationConnection } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { quoteLiteral, sql } from '../../kernel/sql.ts';
import { createDecoder, type Relation, type ReplicationEvent } from '../core/pgoutput.ts';
import { changesPublication } from './catalog.ts';

export const messagesPublication = 'supabase_realtime_messages_publication';

export interface StreamOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly wanted: (relation: Relation) => boolean;
  readonly onEvent: (event: ReplicationEvent) => void;
  /**
   * Runs inside the transaction whose snapshot is the slot's beginning: what it sees was committed before the stream,
   * everything else comes with the stream.
   */
  readonly onSnapshot: (command: ReplicationConnection['command']) => Promise<void>;
  readonly onLive: () => void;
}

export interface Stream {
  /** Opens it if nobody did. */
  open(): void;
  readonly live: boolean;
  /** A sentence while it is wanted and not live. */
  readonly trouble: string | undefined;
  acknowledge(lsn: bigint): void;
  /** Makes PostgreSQL wait with what comes next; the beginning of a stream ends it. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

const firstRetryMs = 200;
const lastRetryMs = 10_000;
const slotPatienceMs = 5_000;
/**
 * A transaction of our own that comes back through the stream: shows that it flows, and lets the slot advance on a
 * database where others write only what nobody listens to, so that no WAL piles up behind it.
 */
const heartbeatMs = 30_000;
const silenceMs = 120_000;

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
        log.warn({ reason, retryMs }, 'the stream of changes ended and is opened again');
        retry = setTimeout(open, retryMs);
        retryMs = Math.min(lastRetryMs, retryMs * 2);
      });
  };

  const run = async (): Promise<void> => {
    const slot = `supabase_realtime_replication_slot_${randomBytes(4).toString('hex')}`;
    const publications = await existingPublications(database);
    const opened = await database.connectReplication();
    connection = opened;
    if (isStopped()) return;
    const patience = setTimeout(() => {
      trouble = 'the stream of changes waits for open transactions that have written something';
      log.warn({}, trouble);
    }, slotPatienceMs);
    try {
      // The forms that values are converted from (core/json-text.ts).
      await opened.command(
        "set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex'; set extra_float_digits = 1; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0",
      );
      await opened.command('begin isolation level repeatable read read only');
      await opened.command(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'use')`);
      await options.onSnapshot((text) => opened.command(text));
      await opened.command('commit');
    } finally {
      clearTimeout(patience);
    }
    if (isStopped()) return;
    const decoder = createDecoder(options.wanted);
    heardAt = performance.now();
    paused = false;
    const names = publications.map((name) => `"${name}"`).join(',');
    const { ended } = opened.stream(
      `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', messages 'true', publication_names ${quoteLiteral(names)})`,
      (payload) => {
        heardAt = performance.now();
        const event = decoder.decode(payload);
        if (event !== undefined) options.onEvent(event);
      },
    );
    state = 'live';
    trouble = undefined;
    retryMs = firstRetryMs;
    const heart = setInterval(() => {
      if (!paused && performance.now() - heardAt > silenceMs) {
        log.warn({ silenceMs }, 'nothing comes through the stream of changes any more');
        opened.destroy();
        return;
      }
      beat(database).catch((error: unknown) => log.debug({ error }, 'no heartbeat could be written'));
    }, heartbeatMs).unref();
    options.onLive();
    try {
      await ended;
    } finally {
      clearInterval(heart);
    }
  };

  return {
    open,
    get live() {
      return state === 'live';
    },
    get trouble() {
      return trouble;
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
    async stop() {
      state = 'stopped';
      clearTimeout(retry);
      connection?.destroy();
      await running;
    },
  };
}

async function beat(database: Database): Promise<void> {
  await database
    .pool('supabase_realtime_admin')
    .query(sql`select pg_logical_emit_message(true, 'plinth.realtime', 'heartbeat')`);
}

/** PostgreSQL before 18 ends a stream that names a publication which is not there. */
async function existingPublications(database: Database): Promise<string[]> {
  const rows = await database
    .pool('supabase_realtime_admin')
    .query<{ name: string }>(
      sql`select pubname as name from pg_catalog.pg_publication where pubname in (${changesPublication}, ${messagesPublication})`,
    );
  if (database.info.serverVersion >= 180000) return [changesPublication, messagesPublication];
  return rows.map(({ name }) => name);
}
