/**
 * A replication connection, which runs replication commands and receives the stream of changes (PostgreSQL
 * documentation, 54.4).
 */
import type { ReplicationConnection } from '../types.ts';
import { runBaseBackup } from './base-backup.ts';
import { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { ConnectionOptions, Exchange } from './exchange.ts';
import { Backend } from './protocol.ts';
import { runScript } from './script.ts';
import { EPOCH_OFFSET_MICROS, KEEPALIVE, sendStatus, XLOG_DATA } from './standby-status.ts';
import { WalStream } from './wal-stream.ts';

const STATUS_INTERVAL_MS = 10_000;

type OnMessage = (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void;

/**
 * Opens a replication connection. The promise `ended` resolves after `destroy` or when the server ends the stream, and
 * rejects when the connection is lost. `serverTimeMicros` is in microseconds since 1970.
 */
export async function connectReplication(options: ConnectionOptions): Promise<ReplicationConnection> {
  const connection = await Connection.open({ ...options, replication: true });
  const position: Position = { acknowledged: 0n, received: 0n };
  let destroyed = false;
  /**
   * Reports the position at regular intervals. The reports also prevent the server from timing out while the stream is
   * paused.
   */
  const reportPeriodically = (): NodeJS.Timeout =>
    setInterval(() => sendStatus(connection, position.acknowledged), STATUS_INTERVAL_MS).unref();
  return {
    async command(text) {
      const results = await runScript(connection, text);
      const result = results.find(({ columns }) => columns.length > 0);
      if (result === undefined) return [];
      return result.rows.map((row) =>
        Object.fromEntries(result.columns.map(({ name }, index) => [name, row[index] ?? null])),
      );
    },
    stream(command, onMessage) {
      const timer = reportPeriodically();
      const ended = new Promise<void>((resolve, reject) => {
        const stream = new Stream(connection, onMessage, position, (error) => {
          clearInterval(timer);
          if (error === undefined || destroyed) resolve();
          else reject(error);
        });
        connection.writer.query(command);
        connection.submit(stream);
      });
      // Prevents an unhandled rejection in case the caller ignores `ended`.
      ended.catch(() => {});
      return { ended };
    },
    baseBackup: (command, onPart) => runBaseBackup(connection, command, onPart),
    streamWal(command, onChunk) {
      const timer = reportPeriodically();
      const ended = new Promise<void>((resolve, reject) => {
        const stream = new WalStream(
          connection,
          onChunk,
          () => position.acknowledged,
          (error) => {
            clearInterval(timer);
            if (error === undefined || destroyed) resolve();
            else reject(error);
          },
        );
        connection.writer.query(command);
        connection.submit(stream);
      });
      ended.catch(() => {});
      return { ended };
    },
    sendStatus: () => sendStatus(connection, position.acknowledged, true),
    acknowledge(lsn) {
      if (lsn > position.acknowledged) position.acknowledged = lsn;
    },
    pause() {
      connection.pause();
    },
    resume() {
      connection.resume();
    },
    destroy() {
      destroyed = true;
      connection.destroy();
    },
  };
}

/** The WAL positions that a stream has reached. */
interface Position {
  acknowledged: bigint;
  /** The start position of the most recently received message. */
  received: bigint;
}

class Stream implements Exchange {
  readonly extended = false;
  readonly #connection: Connection;
  readonly #onMessage: OnMessage;
  readonly #position: Position;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined) => void;
  #error: PostgresError | undefined;

  constructor(
    connection: Connection,
    onMessage: OnMessage,
    position: Position,
    onEnd: (error: PostgresError | ConnectionError | undefined) => void,
  ) {
    this.#connection = connection;
    this.#onMessage = onMessage;
    this.#position = position;
    this.#onEnd = onEnd;
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === Backend.CopyData) {
      if (buffer[start] === XLOG_DATA) this.#change(buffer, start, end);
      else if (buffer[start] === KEEPALIVE) this.#keepalive(buffer, start);
    } else if (type === Backend.CopyDone) {
      this.#connection.writer.copyDone();
      this.#connection.flush();
    }
  }

  #change(buffer: Buffer, start: number, end: number): void {
    const walStart = buffer.readBigUInt64BE(start + 1);
    const serverTime = buffer.readBigInt64BE(start + 17) + EPOCH_OFFSET_MICROS;
    this.#position.received = walStart;
    this.#onMessage(buffer.subarray(start + 25, end), walStart, serverTime);
  }

  #keepalive(buffer: Buffer, start: number): void {
    const walEnd = buffer.readBigUInt64BE(start + 1);
    const position = this.#position;
    // If all received messages have been processed, the rest of the WAL also counts as processed. If it didn't, the
    // server couldn't remove the WAL of unpublished tables while no published table changes.
    if (position.acknowledged >= position.received && walEnd > position.acknowledged)
      position.acknowledged = walEnd;
    if (buffer[start + 17] === 1) sendStatus(this.#connection, position.acknowledged);
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
  }

  ready(): void {
    this.#onEnd(this.#error);
  }

  lost(error: ConnectionError): void {
    this.#onEnd(this.#error ?? error);
  }
}
