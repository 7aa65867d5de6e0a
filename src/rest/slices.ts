/** Splits long work into slices so that it doesn't block requests. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/**
 * Runs a generator to its end and yields to the event loop between slices. `take` receives the yielded values and can
 * return a promise to pause for.
 */
export async function inSlices<P, T>(
  work: Generator<P, T>,
  take?: (piece: P) => Promise<void> | undefined,
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
