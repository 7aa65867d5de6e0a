/** Runs or explains the editor's text. Running removes the plans, and explaining removes the results. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { explainSql, type StatementPlan } from './api.ts';
import { type Selection, scriptOf } from './selection.ts';
import { type RunInput, type RunState, useRun } from './use-run.ts';

export interface ShownPlans {
  /** The editor's text when the plans were requested. Offsets in `plans` refer to this text. */
  readonly text: string;
  readonly plans: readonly StatementPlan[];
}

/** With `isProposed`, a model wrote the text, so it runs in read-only mode. */
export function useQueryRun(text: string, selection: Selection, request: RunInput, isProposed: boolean) {
  const mayWrite = useMay('write') && !isProposed;
  const { state, start, again, cancel, clear, dismiss } = useRun(mayWrite);
  const repeat = useRepeat(state, again);
  const plan = useMutation({
    mutationFn: async (analyze: boolean): Promise<ShownPlans> => {
      const { as, timeoutMs, parameters } = request;
      const { all, text: part, offset } = scriptOf(text, selection);
      const { plans } = await explainSql({ text: part, as, parameters, analyze, timeoutMs }, mayWrite);
      return {
        text: all,
        plans: plans.map((each) => ({
          ...each,
          start: each.start + offset,
          end: each.end + offset,
          error:
            each.error === null
              ? null
              : { ...each.error, at: each.error.at === null ? null : each.error.at + offset },
        })),
      };
    },
  });
  const run = (): void => {
    if (text.trim() === '' || state.isRunning) return;
    plan.reset();
    void start(scriptOf(text, selection), request);
  };
  return {
    state,
    plan,
    run,
    explain: (analyze: boolean): void => {
      repeat.stop();
      clear();
      plan.mutate(analyze);
    },
    /** The interval at which the query is repeated, in seconds. 0 if it isn't repeated. */
    everySeconds: repeat.everySeconds,
    runEvery: (seconds: number): void => {
      if (seconds !== 0) run();
      repeat.set(seconds);
    },
    cancel: (): void => {
      repeat.stop();
      cancel();
    },
    dismiss: (): void => {
      repeat.stop();
      dismiss();
    },
  };
}

/**
 * Runs the last query again at an interval. Runs never overlap. The repetition stops after an error, if the server
 * requires confirmation, and when the page is hidden.
 */
function useRepeat(state: RunState, again: () => void) {
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
