/**
 * Runs the last query again at an interval. Runs never overlap. The repetition stops after an error, if the server
 * requires confirmation, and when the page is hidden.
 */
import { useEffect, useRef, useState } from 'react';
import type { RunState } from './use-run.ts';

export function useRepeat(state: RunState, again: () => void) {
  const [everySeconds, setEvery] = useState(0);
  const latest = useRef(again);
  latest.current = again;
  const { isRunning, run, problem, confirmation } = state;
  const hasFailed =
    (problem !== null && problem !== undefined) ||
    confirmation !== undefined ||
    run?.error !== undefined ||
    run?.statements.some(({ error }) => error !== undefined) === true;

  useEffect(() => {
    if (everySeconds === 0 || isRunning) return;
    if (hasFailed) {
      setEvery(0);
      return;
    }
    const timer = setTimeout(() => latest.current(), everySeconds * 1000);
    return () => clearTimeout(timer);
  }, [everySeconds, isRunning, hasFailed]);

  useEffect(() => {
    const stopIfHidden = (): void => {
      if (document.visibilityState === 'hidden') setEvery(0);
    };
    document.addEventListener('visibilitychange', stopIfHidden);
    return () => document.removeEventListener('visibilitychange', stopIfHidden);
  }, []);

  return { everySeconds, set: setEvery, stop: () => setEvery(0) };
}
