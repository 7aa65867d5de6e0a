/** A walsender connection: replication commands, and the stream of changes (PostgreSQL documentation, 54.4). */
import type { ReplicationConnection } from '../types.ts';
import { Connection, type ConnectionOptions, type Exchange } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import { Backend } from './protocol.ts';
import { runScript } from './script.ts';

/** Types of the messages inside CopyData. */
const XLOG_DATA = 0x77;
const KEEPALIVE = 0x6b;
const STATUS_UPDATE = 0x72;

const STATUS_INTERVAL_MS = 10_000;
/** Microseconds from 1970 to 2000, where PostgreSQL's clock begins. */
const EPOCH_OFFSET_MICROS = 946_684_800_000_000n;

type OnMessage = (payload: Buffer, walStart: bigint, serverTimeMicros: bigint) => void;

/** `serverTimeMicros` is handed out as microseconds since 1970. */
export async function connectReplication(options: ConnectionOptions): Promise<ReplicationConnection> {
  const connection = await Connection.open({ ...options, replication: true });
  let acknowledged = 0n;
  let streaming = false;
  const reply = () => {
    if (streaming && !connection.ended) sendStatus(connection, acknowledged);
  };
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
      const timer = setInterval(reply, STATUS_INTERVAL_MS);
      timer.unref();
      streaming = true;
      const ended = new Promise<void>((resolve, reject) => {
        const stream = new Stream(connection, onMessage, reply, (error) => {
          streaming = false;
          clearInterval(timer);
          if (error === undefined) resolve();
          else reject(error);
        });
        connection.writer.query(command);
        connection.submit(stream);
      });
      return { ended };
    },
    acknowledge(lsn) {
      if (lsn > acknowledged) acknowledged = lsn;
    },
    destroy() {
      connection.destroy();
    },
  };
}

class Stream implements Exchange {
  readonly extended = false;
  readonly #connection: Connection;
  readonly #onMessage: OnMessage;
  readonly #reply: () => void;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined) => void;
  #error: PostgresError | undefined;

  constructor(
    connection: Connection,
    onMessage: OnMessage,
    reply: () => void,
    onEnd: (error: PostgresError | ConnectionError | undefined) => void,
  ) {
    this.#connection = connection;
    this.#onMessage = onMessage;
    this.#reply = reply;
    this.#onEnd = onEnd;
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === Backend.CopyData) {
      if (buffer[start] === XLOG_DATA) {
        const serverTime = buffer.readBigInt64BE(start + 17) + EPOCH_OFFSET_MICROS;
        this.#onMessage(buffer.subarray(start + 25, end), buffer.readBigUInt64BE(start + 1), serverTime);
      } else if (buffer[start] === KEEPALIVE && buffer[start + 17] === 1) {
        this.#reply();
      }
    } else if (type === Backend.CopyDone) {
      this.#connection.writer.copyDone();
      this.#connection.flush();
    }
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

/** Standby status update: written, flushed and applied are one and the same for a logical receiver. */
function sendStatus(connection: Connection, lsn: bigint): void {
  const body = Buffer.allocUnsafe(34);
  body[0] = STATUS_UPDATE;
  body.writeBigUInt64BE(lsn, 1);
  body.writeBigUInt64BE(lsn, 9);
  body.writeBigUInt64BE(lsn, 17);
  body.writeBigInt64BE(BigInt(Date.now()) * 1000n - EPOCH_OFFSET_MICROS, 25);
  body[33] = 0;
  connection.writer.copyData(body);
  connection.flush();
}
