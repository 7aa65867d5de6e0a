/**
 * A replication connection, which runs replication commands and receives the stream of changes (PostgreSQL
 * documentation, 54.4).
 *
 * Reads the response to BASE_BACKUP. Between its result sets, the response contains one copy stream with tar archives
 * and a manifest (PostgreSQL 18 documentation, section 54.4).
 */
import type { BaseBackupEnd, BaseBackupPart, ReplicationConnection } from '../../types.ts';
import { Connection } from '../connection.ts';
import type { ConnectionError, PostgresError } from '../errors.ts';
import type { ConnectionOptions, Exchange } from '../exchange.ts';
import { Backend, readTexts } from '../messages/messages.ts';
import { runScript } from '../script.ts';
import { EPOCH_OFFSET_MICROS, KEEPALIVE, sendStatus, WalStream, XLOG_DATA } from './wal-stream.ts';

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

/** The possible first bytes of a CopyData message, which identify the message's content. */
const NEW_ARCHIVE = 0x6e;
const MANIFEST = 0x6d;
const DATA = 0x64;

class BaseBackup implements Exchange {
  readonly extended = false;
  readonly #onPart: (part: BaseBackupPart) => void;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined, rows: BaseBackupRows) => void;
  readonly #rows: (readonly (string | null)[])[] = [];
  #error: PostgresError | undefined;

  constructor(
    onPart: (part: BaseBackupPart) => void,
    onEnd: (error: PostgresError | ConnectionError | undefined, rows: BaseBackupRows) => void,
  ) {
    this.#onPart = onPart;
    this.#onEnd = onEnd;
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === Backend.DataRow) this.#rows.push(readTexts(buffer, start));
    else if (type === Backend.CopyData) this.#copied(buffer, start, end);
  }

  #copied(buffer: Buffer, start: number, end: number): void {
    if (buffer[start] === DATA) this.#onPart({ kind: 'data', bytes: buffer.subarray(start + 1, end) });
    else if (buffer[start] === NEW_ARCHIVE) this.#onPart({ kind: 'archive' });
    else if (buffer[start] === MANIFEST) this.#onPart({ kind: 'manifest' });
  }

  failed(error: PostgresError): void {
    this.#error ??= error;
  }

  ready(): void {
    this.#onEnd(this.#error, this.#rows);
  }

  lost(error: ConnectionError): void {
    this.#onEnd(this.#error ?? error, this.#rows);
  }
}

type BaseBackupRows = readonly (readonly (string | null)[])[];

/**
 * Runs BASE_BACKUP. The first row contains the start position, and the last row contains the end position. The rows
 * between the first and the last row describe tablespaces.
 */
function runBaseBackup(
  connection: Connection,
  command: string,
  onPart: (part: BaseBackupPart) => void,
): Promise<BaseBackupEnd> {
  return new Promise((resolve, reject) => {
    const backup = new BaseBackup(onPart, (error, rows) => {
      if (error !== undefined) return reject(error);
      const [startLsn = '', timeline = ''] = rows[0] ?? [];
      const [endLsn = ''] = rows.at(-1) ?? [];
      resolve({ startLsn: startLsn ?? '', endLsn: endLsn ?? '', timeline: Number(timeline) });
    });
    connection.writer.query(command);
    connection.submit(backup);
  });
}
