/** Long work in slices, so that requests are not kept waiting. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 4;

/** Runs a generator, which yields between its steps, to its end; between slices everything else gets its turn. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await nextTurn();
  }
}
