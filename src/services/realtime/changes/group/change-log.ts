/**
 * The log in which a group's reader publishes changes: a JetStream stream per database, limited in age and size. The
 * messages are encrypted, because the NATS server isn't trusted with the project's data.
 */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../../../../base/kernel/log.ts';
import { connectNats } from '../../bus/nats.ts';

export interface ChangeLogOptions {
  readonly url: string;
  /** Returns an identifier of the database, because several databases can share a NATS server. */
  readonly identity: () => Promise<string>;
  readonly log: Logger;
}

export interface LogMessage {
  /** The position in the log. */
  readonly sequence: number;
  readonly data: Buffer;
}

export interface ChangeLog {
  /** Connects and creates the stream if necessary. @throws if NATS can't be reached or doesn't have JetStream */
  open(): Promise<void>;
  /**
   * Publishes a message. Resolves once JetStream has stored it. A message with the same ID is stored only once.
   * @throws if JetStream didn't confirm the message, which it may have stored nevertheless
   */
  publish(id: string, data: Buffer): Promise<void>;
  /** Returns the positions of the oldest and the newest message. `last` is less than `first` if there are none. */
  range(): Promise<{ readonly first: number; readonly last: number }>;
  /**
   * Reads the messages from a position on, in order. Waits for `onMessage` before the next message. The promise `ended`
   * settles when the reader is stopped or can't continue, because the stream was deleted or the connection was lost and
   * restored.
   */
  read(from: number, onMessage: (message: LogMessage) => Promise<void> | void): Promise<LogReader>;
  /** Whether the connection to NATS is open. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

export interface LogReader {
  readonly ended: Promise<void>;
  stop(): void;
}

/** Also the time within which a reader must continue after an interruption. */
const maxAgeMs = 10 * 60_000;
const maxBytes = 512 * 1024 * 1024;
/** The time within which JetStream detects a repeated message. */
const duplicateWindowMs = 2 * 60_000;
const publishTimeoutMs = 2_000;
const openTimeoutMs = 5_000;
const maxUnreadMessages = 64;
const nanosPerMs = 1_000_000;
/** The error code of the JetStream API for a stream that doesn't exist. */
const noStream = 10_059;

interface Opened {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
  readonly name: string;
  readonly subject: string;
}

export const createChangeLog = (options: ChangeLogOptions): ChangeLog => new JetStreamLog(options);

class JetStreamLog implements ChangeLog {
  readonly #options: ChangeLogOptions;
  #opening: Promise<Opened> | undefined;
  #isConnected = false;
  readonly #readers = new Set<LogReader>();

  constructor(options: ChangeLogOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  async open(): Promise<void> {
    const opened = await this.#opened();
    await ensureStream(opened);
  }

  async publish(id: string, data: Buffer): Promise<void> {
    const { client, subject } = await this.#opened();
    await client.publish(subject, data, { msgID: id, timeout: publishTimeoutMs });
  }

  async range(): Promise<{ first: number; last: number }> {
    const { manager, name } = await this.#opened();
    const { state } = await manager.streams.info(name);
    return { first: state.first_seq, last: state.last_seq };
  }

  async read(from: number, onMessage: (message: LogMessage) => Promise<void> | void): Promise<LogReader> {
    const { client, name } = await this.#opened();
    const { DeliverPolicy } = await import('@nats-io/jetstream');
    const consumer = await client.consumers.get(name, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
    });
    const messages = await consumer.consume({ max_messages: maxUnreadMessages });
    void (async () => {
      for await (const { type } of messages.status()) {
        // The consumer would wait for a stream with the same name, whose messages have other positions.
        if (type === 'stream_not_found') messages.stop();
      }
    })();
    const ended = (async () => {
      for await (const { seq, data } of messages)
        await onMessage({
          sequence: seq,
          data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
        });
    })();
    // Prevents an unhandled rejection in case the caller ignores `ended`.
    ended.catch(() => {});
    const reader = { ended, stop: () => messages.stop() };
    this.#readers.add(reader);
    void ended.catch(() => {}).then(() => this.#readers.delete(reader));
    return reader;
  }

  async close(): Promise<void> {
    for (const reader of this.#readers) reader.stop();
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.connection.close();
  }

  #opened(): Promise<Opened> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<Opened> {
    const { url, identity, log } = this.#options;
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
    const database = await identity();
    const connection = await connectNats(url);
    try {
      const manager = await jetstreamManager(connection, { timeout: openTimeoutMs });
      this.#isConnected = true;
      void (async () => {
        for await (const { type } of connection.status()) {
          if (type === 'disconnect' || type === 'reconnect') this.#isConnected = type === 'reconnect';
          if (type === 'disconnect') log.warn({}, 'the connection to the log of changes was lost');
          // The consumers would notice only after a while that the server doesn't know them anymore.
          if (type === 'reconnect') for (const reader of this.#readers) reader.stop();
        }
      })();
      return {
        connection,
        manager,
        client: jetstream(connection),
        // The names of streams can't contain dots.
        name: `plinth-changes-${database.replaceAll('.', '-')}`,
        subject: `plinth.changes.${database}`,
      };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}

/** Creates the stream unless it exists. An operator can create it with other settings, such as several replicas. */
async function ensureStream({ manager, name, subject }: Opened): Promise<void> {
  const { DiscardPolicy, RetentionPolicy, StorageType } = await import('@nats-io/jetstream');
  try {
    await manager.streams.info(name);
  } catch (error) {
    if ((error as { code?: number }).code !== noStream) throw error;
    await manager.streams.add({
      name,
      subjects: [subject],
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      storage: StorageType.File,
      max_age: maxAgeMs * nanosPerMs,
      max_bytes: maxBytes,
      duplicate_window: duplicateWindowMs * nanosPerMs,
    });
  }
}

/** The error codes of the JetStream API for a server or an account without JetStream. */
const withoutJetStream: readonly unknown[] = [503, 10_039, 10_076];

/** Whether the error means that the NATS server doesn't have JetStream or doesn't permit it. */
export function isWithoutJetStream(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: number };
  return name === 'JetStreamNotEnabled' || withoutJetStream.includes(code);
}
