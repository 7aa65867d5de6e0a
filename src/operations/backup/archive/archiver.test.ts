import { expect, test } from 'vitest';
import type { Database, ReplicationConnection, WalChunk } from '../../../platform/database/types.ts';
import { segmentBytes } from '../core/lsn.ts';
import { walRangeName } from '../core/names.ts';
import type { Repository } from '../repository.ts';
import { startArchiver } from './archiver.ts';

test('each stored segment is confirmed, even if a later one fails', async () => {
  const start = BigInt(segmentBytes);
  const end = (segments: number): bigint => start + BigInt(segments * segmentBytes);
  const acknowledged: bigint[] = [];
  const written: string[] = [];
  let receive: (chunk: WalChunk) => void = () => undefined;
  let isWritable = false;
  const connection: Partial<ReplicationConnection> = {
    command: async () => [{ timeline: '1' }],
    streamWal(_command, onChunk) {
      receive = onChunk;
      return { ended: new Promise(() => undefined) };
    },
    acknowledge: (lsn) => void acknowledged.push(lsn),
    sendStatus: () => undefined,
    destroy: () => undefined,
  };
  // The row for a replication slot and the current WAL position.
  const row = { status: 'reserved', restart: '0/1000000', time: 5000, lsn: '0/3000000' };
  const database = {
    pool: () => ({ query: async () => [row] }),
    connectReplication: async () => connection,
  } as unknown as Database;
  const repository = {
    createBytes: async () => false,
    readBytes: async () => Buffer.from('this folder'),
    async writeBytes(name: string) {
      if (written.length === 1 && !isWritable) throw new Error('The target is unavailable.');
      written.push(name);
    },
  } as unknown as Repository;

  const archiver = await startArchiver(database, repository, 'this folder');
  for (const segment of [0, 1]) {
    const bytes = Buffer.alloc(segmentBytes, segment);
    receive({ start: end(segment), bytes, serverEnd: end(2), serverTimeMs: 0 });
  }
  const taken = await archiver.take();
  await expect(taken.store()).rejects.toThrow('The target is unavailable.');
  expect(acknowledged).toEqual([end(1)]);
  isWritable = true;
  expect(await (await archiver.take()).store()).toBe(5000);
  expect(acknowledged).toEqual([end(1), end(2)]);
  expect(written).toEqual([
    walRangeName({ timeline: 1, start, end: end(1), timeMs: 0 }),
    walRangeName({ timeline: 1, start: end(1), end: end(2), timeMs: 5000 }),
  ]);
  archiver.close();
});
