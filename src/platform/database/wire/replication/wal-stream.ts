/** Receives the WAL as bytes (physical replication, PostgreSQL 18 documentation, 54.4). */
import type { WalChunk } from '../../types.ts';
import type { Connection } from '../connection.ts';
import type { ConnectionError, PostgresError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { Backend } from '../messages/messages.ts';

const noBytes = Buffer.alloc(0);

export class WalStream implements Exchange {
  readonly extended = false;
  readonly #connection: Connection;
  readonly #onChunk: (chunk: WalChunk) => void;
  readonly #flushed: () => bigint;
  readonly #onEnd: (error: PostgresError | ConnectionError | undefined) => void;
  #error: PostgresError | undefined;

  /** Creates the stream. The callback `flushed` returns the WAL position that the stream confirms to the server. */
  constructor(
    connection: Connection,
    onChunk: (chunk: WalChunk) => void,
    flushed: () => bigint,
    onEnd: (error: PostgresError | ConnectionError | undefined) => void,
  ) {
    this.#connection = connection;
    this.#onChunk = onChunk;
    this.#flushed = flushed;
    this.#onEnd = onEnd;
  }

  message(type: number, buffer: Buffer, start: number, end: number): void {
    if (type === Backend.CopyDone) {
      this.#connection.writer.copyDone();
      this.#connection.flush();
      return;
    }
    if (type !== Backend.CopyData) return;
    const kind = buffer[start];
    if (kind === XLOG_DATA) {
      this.#onChunk({
        start: buffer.readBigUInt64BE(start + 1),
        bytes: buffer.subarray(start + 25, end),
        serverEnd: buffer.readBigUInt64BE(start + 9),
        serverTimeMs: timeMs(buffer.readBigInt64BE(start + 17)),
      });
    } else if (kind === KEEPALIVE) {
      const serverEnd = buffer.readBigUInt64BE(start + 1);
      const serverTimeMs = timeMs(buffer.readBigInt64BE(start + 9));
      this.#onChunk({ start: serverEnd, bytes: noBytes, serverEnd, serverTimeMs });
      if (buffer[start + 17] === 1) sendStatus(this.#connection, this.#flushed());
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

const timeMs = (micros: bigint): number => Number((micros + EPOCH_OFFSET_MICROS) / 1000n);

/** The messages inside the CopyData of a replication stream. */
export const XLOG_DATA = 0x77;
export const KEEPALIVE = 0x6b;
const STATUS_UPDATE = 0x72;

/** The number of microseconds from 1970 to 2000. PostgreSQL's timestamps count from 2000. */
export const EPOCH_OFFSET_MICROS = 946_684_800_000_000n;

/**
 * Sends a standby status update with the same position for the written, flushed and applied WAL. If `wantsReply` is
 * true, the server responds with a keepalive.
 */
export function sendStatus(connection: Connection, flushed: bigint, wantsReply = false): void {
  if (connection.ended) return;
  const body = Buffer.allocUnsafe(34);
  body[0] = STATUS_UPDATE;
  body.writeBigUInt64BE(flushed, 1);
  body.writeBigUInt64BE(flushed, 9);
  body.writeBigUInt64BE(flushed, 17);
  body.writeBigInt64BE(BigInt(Date.now()) * 1000n - EPOCH_OFFSET_MICROS, 25);
  body[33] = wantsReply ? 1 : 0;
  connection.writer.copyData(body);
  connection.flush();
}
