/**
 * Implements the bus over NOTIFY. PostgreSQL limits a payload to less than 8000 bytes of text, so a batch is split into
 * base64 chunks. Transactions that only notify don't wait for the disk when they commit.
 */
import type { Database } from '../../../platform/database/types.ts';
import { notifyAll } from '../queries.ts';
import type { Transport } from './types.ts';

const channel = 'plinth_realtime';
const maxPayloadChars = 7996;

export function createPostgresTransport(database: Database): Transport {
  return {
    name: 'postgres',
    maxChunkBytes: (maxPayloadChars / 4) * 3,
    send: (chunks) =>
      notifyAll(
        database.pool('supabase_realtime_admin'),
        channel,
        chunks.map((chunk) => chunk.toString('base64')),
      ),
    listen: ({ chunk, lost, restored }) =>
      database.listen(channel, (payload) => chunk(Buffer.from(payload, 'base64')), restored, lost),
  };
}
