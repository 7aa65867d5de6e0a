/** Long work in slices, so that requests are not kept waiting. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/**
 * Runs a generator, which yields between its steps, to its end; between slices everything else gets its turn. `take` gets
 * what is yielded, and may ask for a pause.
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
