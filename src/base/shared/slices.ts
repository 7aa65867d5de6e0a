/** Splits long work into slices so that it doesn't block other requests. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/**
 * Runs a generator to completion. Between slices, the event loop can process other events. `take` receives the yielded
 * values. If `take` returns a promise, the generator continues after the promise has resolved.
 */
export async function inSlices<P, T>(
  work: Generator<P, T>,
  take?: (item: P) => Promise<void> | undefined,
): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    let pause: Promise<void> | undefined;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
      pause = take?.(step.value);
    } while (pause === undefined && performance.now() < until);
    await (pause ?? nextTurn());
  }
}
