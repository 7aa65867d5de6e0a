import { expect, test } from 'vitest';
import { createProgress, inParallel } from './transfers.ts';

function recorded(isTTY: boolean) {
  const texts: string[] = [];
  let ms = 0;
  const output = { isTTY, write: (text: string) => texts.push(text) };
  const progress = createProgress('Uploaded', output, () => ms);
  return { texts, progress, at: (next: number) => (ms = next) };
}

test('a long transfer shows its progress on a terminal, and other lines replace it', () => {
  const { texts, progress, at } = recorded(true);
  progress.expect(4096);
  at(500);
  progress.add(1024);
  expect(texts).toEqual([]);
  at(1_500);
  progress.add(1024);
  expect(texts.splice(0)).toEqual(['\r\u001b[KUploaded 2.0 KiB of 4.0 KiB']);
  progress.add(1024);
  expect(texts).toEqual([]);
  progress.line('next');
  expect(texts.splice(0)).toEqual(['\r\u001b[K', 'next\n']);
  progress.end();
  expect(texts).toEqual([]);
});

test('without a terminal, only lines are printed', () => {
  const { texts, progress, at } = recorded(false);
  at(5_000);
  progress.add(1024);
  progress.line('next');
  progress.end();
  expect(texts).toEqual(['next\n']);
});

test('items are processed in parallel, and no item starts after a failure', async () => {
  const started: number[] = [];
  const secondStarted = Promise.withResolvers<void>();
  let most = 0;
  let open = 0;
  await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    started.push(item);
    open += 1;
    most = Math.max(most, open);
    // The first item ends only after the second item has started.
    if (item === 1) await secondStarted.promise;
    if (item === 2) secondStarted.resolve();
    open -= 1;
  });
  expect([started, most]).toEqual([[1, 2, 3, 4, 5], 2]);
  const seen: number[] = [];
  const failing = inParallel([1, 2, 3, 4], 1, async (item) => {
    seen.push(item);
    if (item === 2) throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(seen).toEqual([1, 2]);
});
