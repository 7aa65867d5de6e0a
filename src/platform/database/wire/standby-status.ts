/** Reads and writes the messages inside the CopyData of a replication stream. */
import type { Connection } from './connection.ts';

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
