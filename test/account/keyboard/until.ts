import { equal } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

const maxWaitMs = 30_000;

/**
 * Waits until a value equals the expected value. Replaces `expect.poll`, which doesn't work in concurrent tests. It
 * doesn't work in the flows either, because the flows also run outside Vitest (scripts/gallery-account.ts).
 */
export async function until<Value>(read: () => Promise<Value>, expected: Value): Promise<void> {
  const giveUpAt = Date.now() + maxWaitMs;
  let value = await read();
  while (value !== expected && Date.now() < giveUpAt) {
    await pause(50);
    value = await read();
  }
  equal(value, expected);
}
