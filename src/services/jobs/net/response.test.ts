import { expect, test } from 'vitest';
import { partsOf, responseOf } from './response.ts';

const answer = (id: string, sizeBytes: number) =>
  responseOf(id, { status: 200, headers: [], body: Buffer.alloc(sizeBytes, 'x') });

test('responses are stored in parts of limited size, in the order of their arrival', () => {
  const half = 4 * 1024 * 1024;
  const sizes = [0, half, half, 1, 1, half * 2, half];
  const parts = partsOf(sizes.map((size, index) => answer(String(index), size)));
  expect(parts.map((part) => part.map(({ id }) => id).join())).toEqual(['0,1,2', '3,4', '5', '6']);
  expect(partsOf([])).toEqual([]);
});
