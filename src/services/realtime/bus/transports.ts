/** The transports over which the processes of a group send their messages: NOTIFY and NATS. */
import type { Logger } from '../../../base/kernel/log.ts';
import type { Database } from '../../../platform/database/types.ts';
import { notifyAll } from '../queries.ts';
import { connectNats } from './nats.ts';
import type { Transport } from './types.ts';

const channel = 'plinth_realtime';
const maxPayloadChars = 7996;

/**
 * Implements the bus over NOTIFY. PostgreSQL limits a payload to less than 8000 bytes of text, so a batch is split into
 * base64 chunks. Transactions that only notify don't wait for the disk when they commit.
 */
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

interface NatsOptions {
  /** Comma-separated `nats://`, `tls://` or `ws://` addresses, optionally with credentials. */
  readonly url: string;
  /** Returns an identifier of the database, because several databases can share a NATS server. */
  readonly identity: () => Promise<string>;
  readonly log: Logger;
}

/** The maximum chunk size, which is below the default maximum message size of a NATS server (1 MiB). */
const maxChunkBytes = 512 * 1024;

/** Implements the bus over NATS, with one subject per database. The NATS client is loaded only if needed. */
export function createNatsTransport({ url, identity, log }: NatsOptions): Transport {
  const open = async () => {
    const connection = await connectNats(url);
    return { connection, subject: `plinth.realtime.${await identity()}` };
  };
  let opened: ReturnType<typeof open> | undefined;
  const opening = (): ReturnType<typeof open> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  return {
    name: 'nats',
    maxChunkBytes,
    async send(chunks) {
      const { connection, subject } = await opening();
      for (const chunk of chunks) connection.publish(subject, chunk);
      await connection.flush();
    },
    async listen({ chunk, lost, restored }) {
      const { connection, subject } = await opening();
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          if (error === null) chunk(Buffer.from(message.data));
          else log.warn({ reason: error.message }, 'failed to read a NATS message');
        },
      });
      void (async () => {
        for await (const { type } of connection.status()) {
          if (type === 'disconnect') lost();
          else if (type === 'reconnect') restored();
        }
      })();
      await connection.flush();
      return async () => {
        subscription.unsubscribe();
        await connection.close();
      };
    },
  };
}
