/** A walsender connection: replication commands and the stream of changes (PostgreSQL documentation, 54.4). */
import type { ReplicationConnection } from '../types.ts';
import { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { ConnectionOptions, Exchange } from './exchange.ts';
import { Backend } from './protocol.ts';
import { runScript } from './script.ts';

/** Types of the messages inside CopyData. */
const XLOG_DATA = 0x77;
const KEEPALIVE = 0x6b;
const STATUS_UPDATE = 0x72;

const STATUS_INTERVAL_MS = 10_000;
/** Microseconds from 1970 to 2000, the epoch of PostgreSQL's clock. */
const EPOCH_OFFSET_MICROS = 946_684_800_000_000n;

type OnMessage = (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void;

/**
 * `ended` resolves after `destroy` and when the server ends the stream, and rejects when the connection is lost.
 * `serverTimeMicros` is passed on as microseconds since 1970.
 */
export async function connectReplication(options: ConnectionOptions): Promise<ReplicationConnection> {
  const connection = await Connection.open({ ...options, replication: true });
  const position: Position = { acknowledged: 0n, received: 0n };
  let destroyed = false;
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
      const timer = setInterval(() => sendStatus(connection, position), STATUS_INTERVAL_MS);
      timer.unref();
      const ended = new Promise<void>((resolve, reject) => {
        const stream = new Stream(connection, onMessage, position, (error) => {
          clearInterval(timer);
          if (error === undefined || destroyed) resolve();
          else reject(error);
        });
        connection.writer.query(command);
        connection.submit(stream);
      });
      // Prevents an unhandled rejection if the caller ignores `ended`.
      ended.catch(() => {});
      return { ended };
    },
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

/** The progress of the stream. */
interface Position {
  acknowledged: bigint;
  /** The start position of the last message in the stream. */
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
    // All relevant messages have been processed, so the rest of the WAL has been, too. Otherwise, an inactive
    // publication would retain the WAL of other tables.
    if (position.acknowledged >= position.received && walEnd > position.acknowledged)
      position.acknowledged = walEnd;
    if (buffer[start + 17] === 1) sendStatus(this.#connection, position);
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

/** Sends a standby status update. For a logical receiver, the written, flushed and applied positions are the same. */
function sendStatus(connection: Connection, { acknowledged }: Position): void {
  if (connection.ended) return;
  const body = Buffer.allocUnsafe(34);
  body[0] = STATUS_UPDATE;
  body.writeBigUInt64BE(acknowledged, 1);
  body.writeBigUInt64BE(acknowledged, 9);
  body.writeBigUInt64BE(acknowledged, 17);
  body.writeBigInt64BE(BigInt(Date.now()) * 1000n - EPOCH_OFFSET_MICROS, 25);
  body[33] = 0;
  connection.writer.copyData(body);
  connection.flush();
}
