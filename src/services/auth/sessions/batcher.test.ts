import { expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';

/** Creates a batch function. The test determines when each run of the function ends. */
function manual() {
  const begun: { readonly questions: readonly number[]; end(error?: Error): void }[] = [];
  const work = (questions: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      begun.push({
        questions,
        end: (error) => (error ? reject(error) : resolve(questions.map((number) => number * 10))),
      });
    });
  return { begun, work, sizes: () => begun.map(({ questions }) => questions) };
}

test('requests that arrive during a run form the next batch, and each gets its own result', async () => {
  const { begun, work, sizes } = manual();
  const ask = createBatcher({
    work,
    maxBatchSize: 3,
    slowAfterMs: 1000,
    maxConcurrent: 1,
    monotonicMs: () => 0,
  });
  const answers = Promise.all([1, 2, 3, 4, 5].map(ask));
  expect(sizes()).toEqual([[1]]);
  begun[0]?.end();
  await expect.poll(sizes).toEqual([[1], [2, 3, 4]]);
  begun[1]?.end();
  await expect.poll(sizes).toEqual([[1], [2, 3, 4], [5]]);
  begun[2]?.end();
  expect(await answers).toEqual([10, 20, 30, 40, 50]);
});

test('an error rejects only the requests of its batch', async () => {
  const { begun, work } = manual();
  const ask = createBatcher({
    work,
    maxBatchSize: 3,
    slowAfterMs: 1000,
    maxConcurrent: 1,
    monotonicMs: () => 0,
  });
  const answers = Promise.allSettled([1, 2, 3].map(ask));
  begun[0]?.end();
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.end(new Error('refused'));
  expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const later = ask(4);
  begun[2]?.end();
  expect(await later).toBe(40);
});

test('slow batches don’t delay others, up to the concurrency limit', () => {
  const { work, sizes } = manual();
  let now = 0;
  const ask = createBatcher({
    work,
    maxBatchSize: 3,
    slowAfterMs: 20,
    maxConcurrent: 2,
    monotonicMs: () => now,
  });
  void ask(1);
  void ask(2);
  expect(sizes()).toEqual([[1]]);
  now = 21;
  void ask(3);
  expect(sizes()).toEqual([[1], [2, 3]]);
  now = 60;
  void ask(4);
  expect(sizes()).toEqual([[1], [2, 3]]);
});
