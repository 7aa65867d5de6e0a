/** Divides long work into slices, so that requests are served in between. */
import { setImmediate as turn } from 'node:timers/promises';

const sliceMs = 4;

/** Returns a function that pauses if the current slice is over. Call it after each small piece of work. */
export function createPace(): () => Promise<void> | undefined {
  let until = performance.now() + sliceMs;
  return () => {
    if (performance.now() < until) return undefined;
    return turn().then(() => {
      until = performance.now() + sliceMs;
    });
  };
}
