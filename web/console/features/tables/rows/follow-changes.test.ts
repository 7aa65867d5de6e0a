import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followChanges, type Live } from './follow-changes.ts';

const page = { hidden: false, listeners: new Set<() => void>() };
let stop: () => void;
let snapshot: string;
let reads: number;
let readMs: number;
let states: Live[];

function show(isVisible: boolean): void {
  page.hidden = !isVisible;
  for (const listener of page.listeners) listener();
}

/** Simulates the server, which responds when the snapshot has changed. The page can abort the request. */
function next(after: string | undefined, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = setInterval(() => {
      if (snapshot === after) return;
      clearInterval(look);
      resolve(snapshot);
    }, 100);
    signal.addEventListener('abort', () => {
      clearInterval(look);
      reject(new Error('aborted'));
    });
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', {
    get hidden() {
      return page.hidden;
    },
    addEventListener: (_type: string, listener: () => void) => page.listeners.add(listener),
    removeEventListener: (_type: string, listener: () => void) => page.listeners.delete(listener),
  });
  page.hidden = false;
  [snapshot, reads, readMs, states] = ['1:1:', 0, 0, []];
  stop = followChanges({
    next,
    refetch: async () => {
      reads++;
      await new Promise((resolve) => setTimeout(resolve, readMs));
    },
    onLive: (live) => states.push(live),
  });
});
afterEach(async () => {
  stop();
  await vi.advanceTimersByTimeAsync(100);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('rows are read once at first, and then only when a transaction has ended', async () => {
  await vi.advanceTimersByTimeAsync(30_000);
  expect(reads).toBe(1);
  snapshot = '1:2:';
  await vi.advanceTimersByTimeAsync(1000);
  expect([reads, states.at(-1)]).toEqual([2, 'live']);
});

test('rows that are slow to read are read less often, and the page shows the interval', async () => {
  readMs = 2000;
  await vi.advanceTimersByTimeAsync(4000);
  snapshot = '1:2:';
  await vi.advanceTimersByTimeAsync(4000);
  expect([reads, states.at(-1)]).toEqual([1, 10]);
  await vi.advanceTimersByTimeAsync(6000);
  expect(reads).toBe(2);
});

test('a hidden page reads nothing, and catches up when it is visible again', async () => {
  await vi.advanceTimersByTimeAsync(2000);
  show(false);
  snapshot = '1:2:';
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads).toBe(1);
  show(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect(reads).toBe(2);
});

test('no rows are read after the page stops following', async () => {
  await vi.advanceTimersByTimeAsync(2000);
  stop();
  snapshot = '1:2:';
  await vi.advanceTimersByTimeAsync(60_000);
  expect([reads, page.listeners.size]).toEqual([1, 0]);
});
