/** Receives the WAL as bytes (physical replication, PostgreSQL 18 documentation, 54.4). */
import type { WalChunk } from '../types.ts';
import type { Connection } from './connection.ts';
import type { ConnectionError, PostgresError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { Backend } from './protocol.ts';
import { EPOCH_OFFSET_MICROS, KEEPALIVE, sendStatus, XLOG_DATA } from './standby-status.ts';

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
