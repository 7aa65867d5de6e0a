import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPartStream } from './base-backup.ts';

/** The bytes that may be held, apart from the chunk that exceeds the limit and the chunk that is being read. */
const maxHeld = 8 * 1024 * 1024;
const chunkBytes = 1_000_000;

/** Sends parts like PostgreSQL, which stops while it is paused. Chunks that are already in transit still arrive. */
async function run(sizes: readonly number[], readerTurns: readonly number[], fault?: Error) {
  let isPaused = false;
  let pauses = 0;
  const parts = createPartStream({
    pause: () => {
      isPaused = true;
      pauses += 1;
    },
    resume: () => {
      isPaused = false;
    },
  });
  const chunks = sizes.map((size) => randomBytes(size));
  const manifest = randomBytes(1000);
  let sent = 0;
  let received = 0;
  let most = 0;
  const send = async (): Promise<void> => {
    parts.push({ kind: 'archive' });
    for (const bytes of chunks) {
      while (isPaused) await turn();
      parts.push({ kind: 'data', bytes });
      sent += bytes.length;
      most = Math.max(most, sent - received);
      if (bytes.length % 2 === 0) await turn();
    }
    if (fault !== undefined) return parts.end(fault);
    parts.push({ kind: 'manifest' });
    parts.push({ kind: 'data', bytes: manifest });
    parts.end();
  };
  const read = async (): Promise<Buffer[]> => {
    const streams: Buffer[] = [];
    for (const [index] of ['archive', 'manifest'].entries()) {
      const found: Buffer[] = [];
      for await (const bytes of parts.next()) {
        for (let left = readerTurns[(index + found.length) % readerTurns.length] ?? 0; left > 0; left -= 1)
          await turn();
        found.push(bytes);
        received += bytes.length;
      }
      streams.push(Buffer.concat(found));
    }
    return streams;
  };
  const reading = read();
  reading.catch(() => undefined);
  await send();
  const [archive, found] = await reading;
  return { archive, found, expected: Buffer.concat(chunks), manifest, most, pauses };
}

const sizes = fc.array(fc.integer({ min: 1, max: chunkBytes }), { maxLength: 30 });
const turns = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 5 });

test('yields the archive and the manifest completely, at any pace of PostgreSQL and of the reader', () =>
  fc.assert(
    fc.asyncProperty(fc.noBias(sizes), turns, async (chunks, pace) => {
      const result = await run(chunks, pace);
      expect(result.archive?.equals(result.expected)).toBe(true);
      expect(result.found?.equals(result.manifest)).toBe(true);
      expect(result.most).toBeLessThanOrEqual(maxHeld + 2 * chunkBytes);
    }),
    { seed: 1, numRuns: 25 },
  ));

test('pauses PostgreSQL while the reader is behind', async () => {
  const { pauses, most, archive, expected } = await run(Array(40).fill(chunkBytes), [20]);
  expect([pauses > 0, most <= maxHeld + 2 * chunkBytes, archive?.equals(expected)]).toEqual([
    true,
    true,
    true,
  ]);
});

test('the reader receives the error of a failed backup after the bytes that arrived before', async () => {
  await expect(run([1000, 1000], [1], new Error('failed'))).rejects.toThrow('failed');
});
