/** Runs a few of the two hundred kills that `node bench/storage-kills.ts` performs. */
import { expect, it } from 'vitest';
import { killStorage } from './storage-kills.ts';

it('objects survive three kills', { timeout: 240_000 }, async () => {
  const tally = await killStorage(3);
  expect(tally.kills).toBe(3);
  expect(tally.acknowledged).toBeGreaterThan(0);
  expect(tally.verified).toBeGreaterThan(0);
});
