import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from '../../core/bus-seal.ts';
import { BatchBuilder } from '../../core/change-batch.ts';
import { LogDecoder } from './log-decoder.ts';

const secret = 'a secret of the group';
const sealer = createSealer(secret, randomBytes(16), 512 * 1024, 'changes');

/** Returns a message of the log with an empty transaction. */
function messageAt(sequence: number, generation: string) {
  const begin = Buffer.alloc(21);
  begin.write('B');
  begin.writeBigUInt64BE(BigInt(sequence * 10), 1);
  const commit = Buffer.alloc(26);
  commit.write('C');
  commit.writeBigUInt64BE(BigInt(sequence * 10), 2);
  commit.writeBigUInt64BE(BigInt(sequence * 10 + 1), 10);
  const builder = new BatchBuilder(generation, 0);
  builder.add(begin);
  builder.add(commit);
  const [data] = sealer.seal((builder.take() as { readonly bytes: Buffer }).bytes);
  return { sequence, data: data as Buffer };
}

function decoderWith(current: { generation: string }) {
  const gaps: string[] = [];
  const decoder = new LogDecoder({
    secret,
    isWanted: () => false,
    onEvent: () => undefined,
    currentGeneration: async () => current.generation,
    onGap: (reason) => gaps.push(reason),
  });
  return { decoder, gaps };
}

test('the first messages that a process reads are complete', async () => {
  const { decoder, gaps } = decoderWith({ generation: 'one' });
  decoder.continueAt(7);
  await decoder.receive(messageAt(7, 'one'));
  await decoder.receive(messageAt(8, 'one'));
  expect([gaps, decoder.generation, decoder.next, decoder.place.lsn]).toEqual([[], 'one', 9, 81n]);
});

test('a missing message is a gap', async () => {
  const { decoder, gaps } = decoderWith({ generation: 'one' });
  decoder.continueAt(7);
  await decoder.receive(messageAt(7, 'one'));
  await decoder.receive(messageAt(9, 'one'));
  expect(gaps).toEqual(['changes were discarded before they were read']);
});

test('messages of another slot are skipped, and those of a new slot are a gap', async () => {
  const current = { generation: 'one' };
  const { decoder, gaps } = decoderWith(current);
  decoder.expect('one');
  await decoder.receive(messageAt(1, 'zero'));
  expect([gaps, decoder.generation]).toEqual([[], 'one']);
  current.generation = 'two';
  await decoder.receive(messageAt(2, 'two'));
  expect([gaps, decoder.generation]).toEqual([['a new slot was created'], 'two']);
});

test('a process that reads again has no gap', async () => {
  const current = { generation: 'one' };
  const { decoder, gaps } = decoderWith(current);
  await decoder.receive(messageAt(1, 'one'));
  decoder.reset();
  current.generation = 'two';
  await decoder.receive(messageAt(50, 'two'));
  expect([gaps, decoder.generation]).toEqual([[], 'two']);
});
