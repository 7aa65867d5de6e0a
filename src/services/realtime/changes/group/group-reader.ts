/**
 * Reads the group's slot, if no other process of the group reads it, and publishes the changes to the group's log. The
 * position is confirmed to PostgreSQL only after JetStream has stored the changes, so a process that takes over doesn't
 * miss any. The changes that it publishes again are recognized by their positions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../../base/kernel/log.ts';
import type {
  Database,
  PostgresErrorShape,
  ReplicationConnection,
} from '../../../../platform/database/types.ts';
import {
  existingPublications,
  heartbeatMs,
  prepareSession,
  rejections,
  shortages,
  shortageText,
  silenceMs,
  startReplication,
  writeHeartbeat,
} from '../replication.ts';
import type { ChangeLog } from './change-log.ts';
import {
  dropGroupSlot,
  findGroupSlot,
  type GroupSlot,
  generationOf,
  newGroupSlotName,
} from './group-slot.ts';
import { LogPublisher } from './log-publisher.ts';
import type { NodeSession } from './node-session.ts';

export interface GroupReaderOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly changeLog: ChangeLog;
  readonly session: NodeSession;
  /** The secret that all processes of the group share. */
  readonly secret: string;
  readonly maxSlotWalBytes: () => number;
  /** When unpublished changes exceed this size, reading pauses. PostgreSQL retains later changes. */
  readonly maxWaitingBytes: () => number;
  /** Called if PostgreSQL rejects the slot or its connection for a reason that retrying won't fix. */
  readonly onRejected: () => void;
}

/** The interval at which a process checks whether the slot is read. */
const turnMs = 500;
const confirmMs = 1_000;

export class GroupReader {
  readonly #options: GroupReaderOptions;
  #stopping: AbortController | undefined;
  #running: Promise<void> | undefined;
  #connection: ReplicationConnection | undefined;
  #trouble: string | undefined;
  #publisher: LogPublisher | undefined;
  #isShort = false;
  #isReading = false;
  #slot: GroupSlot | undefined;

  constructor(options: GroupReaderOptions) {
    this.#options = options;
  }

  get trouble(): string | undefined {
    return this.#trouble ?? this.#publisher?.trouble;
  }

  get isShort(): boolean {
    return this.#isShort;
  }

  /** Whether this process is the group's reader. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** The slot at the last check. */
  get slot(): GroupSlot | undefined {
    return this.#slot;
  }

  start(): void {
    if (this.#stopping !== undefined) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#running = this.#run(stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#connection?.destroy();
    await this.#running;
    this.#stopping = undefined;
  }

  async #run(stopping: AbortSignal): Promise<void> {
    const { log, onRejected } = this.#options;
    while (!stopping.aborted) {
      try {
        await this.#takeTurn(stopping);
      } catch (error) {
        if (stopping.aborted) return;
        const { code, message } = error as PostgresErrorShape;
        // Another process began to read the slot first.
        if (code !== '55006') {
          this.#isShort = shortages.has(code);
          this.#trouble = `the shared stream of changes is interrupted: ${this.#isShort ? shortageText : message}`;
          log.warn({ reason: message }, "can't read changes for the group; retrying");
          if (rejections.has(code)) onRejected();
        }
      }
      // The processes check at different times, so that they don't try to take over simultaneously.
      await sleep(turnMs * (0.5 + Math.random()), undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  async #takeTurn(stopping: AbortSignal): Promise<void> {
    const { database, session, log, maxSlotWalBytes } = this.#options;
    const pool = database.pool('supabase_replication_admin');
    const slot = await findGroupSlot(pool);
    this.#slot = slot;
    if (slot !== undefined && slot.activePid !== null) {
      this.#trouble = undefined;
      this.#isShort = false;
      return;
    }
    const isSpent = slot !== undefined && (!slot.usable || slot.retainedBytes > maxSlotWalBytes());
    if (slot === undefined || isSpent) {
      await session.alone(async () => {
        const current = await findGroupSlot(pool);
        if (current?.name !== slot?.name) return;
        if (slot !== undefined) {
          log.error(
            { slot: slot.name },
            'the shared slot retains too much WAL; discarding undelivered changes',
          );
          await dropGroupSlot(pool, slot);
        }
        await this.#create(stopping);
      });
      this.#slot = await findGroupSlot(pool);
    }
    if (this.#slot !== undefined && !stopping.aborted) await this.#read(this.#slot.name, stopping);
  }

  /** Creates the slot. The server responds once all write transactions that were open at this time have ended. */
  async #create(stopping: AbortSignal): Promise<void> {
    const connection = await this.#options.database.connectReplication();
    this.#connection = connection;
    try {
      if (stopping.aborted) return;
      await connection.command(
        `CREATE_REPLICATION_SLOT ${newGroupSlotName()} LOGICAL pgoutput (SNAPSHOT 'nothing')`,
      );
    } finally {
      connection.destroy();
      this.#connection = undefined;
    }
  }

  async #read(slotName: string, stopping: AbortSignal): Promise<void> {
    const { database, log, changeLog, secret, maxWaitingBytes } = this.#options;
    const publications = await existingPublications(database);
    const connection = await database.connectReplication();
    this.#connection = connection;
    try {
      if (stopping.aborted) return;
      await prepareSession(connection);
      const generation = generationOf(slotName);
      const publisher = new LogPublisher({ changeLog, secret, generation, connection, maxWaitingBytes, log });
      this.#publisher = publisher;
      let heardAt = performance.now();
      const { ended } = connection.stream(startReplication(slotName, 0n, publications), (payload) => {
        heardAt = performance.now();
        if (!this.#isReading) this.#onReading(slotName);
        publisher.add(payload);
      });
      const heart = setInterval(() => {
        if (!publisher.isPaused && performance.now() - heardAt > silenceMs) connection.destroy();
        writeHeartbeat(database).catch((error: unknown) =>
          log.debug({ error }, 'failed to write a heartbeat'),
        );
        void this.#checkWal(connection);
      }, heartbeatMs).unref();
      // A process that takes over publishes again what wasn't confirmed.
      const confirming = setInterval(() => connection.sendStatus(), confirmMs).unref();
      stopping.addEventListener('abort', () => {
        publisher.stop();
        connection.sendStatus();
      });
      // A first message shows that this process reads the slot.
      writeHeartbeat(database).catch(() => undefined);
      try {
        await ended;
      } finally {
        clearInterval(heart);
        clearInterval(confirming);
        publisher.stop();
      }
    } finally {
      this.#isReading = false;
      this.#publisher = undefined;
      connection.destroy();
      this.#connection = undefined;
    }
  }

  #onReading(slot: string): void {
    this.#isReading = true;
    this.#trouble = undefined;
    this.#isShort = false;
    this.#options.log.info({ slot }, 'reading changes for the group');
  }

  /** If the slot retains too much WAL, reading ends, and the next turn creates a new slot. */
  async #checkWal(connection: ReplicationConnection): Promise<void> {
    const { database, maxSlotWalBytes, log } = this.#options;
    try {
      this.#slot = await findGroupSlot(database.pool('supabase_replication_admin'));
      if ((this.#slot?.retainedBytes ?? 0) > maxSlotWalBytes()) connection.destroy();
    } catch (error) {
      log.debug({ error }, "failed to inspect the group's slot");
    }
  }
}
