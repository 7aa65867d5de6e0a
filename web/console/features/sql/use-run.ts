/**
 * Runs one query at a time. Asks the operator for confirmation if the server requires it, and collects the results as
 * they arrive.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { cancelRun, historyQuery, type Question, type RunRequest, runSql } from './api.ts';
import { emptyOutcome, type RunOutcome, withEvent } from './outcome.ts';

export interface RunState {
  readonly isRunning: boolean;
  readonly run: RunOutcome | undefined;
  /** The editor's text when the run started. */
  readonly text: string;
  /** The options of the run. */
  readonly request: Omit<RunRequest, 'text' | 'confirmed'> | undefined;
  readonly problem: unknown;
  /**
   * The questions that the server asked, and a function that sends the request again after the operator has confirmed.
   */
  readonly confirmation: { readonly questions: readonly Question[]; readonly again: () => void } | undefined;
}

const idle: RunState = {
  isRunning: false,
  run: undefined,
  text: '',
  request: undefined,
  problem: null,
  confirmation: undefined,
};

export interface Script {
  /** The editor's complete text, which is used to locate errors. */
  readonly all: string;
  /** The part of the text to run, and its offset in the complete text. */
  readonly text: string;
  readonly offset: number;
}

export function useRun(mayWrite: boolean) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<RunState>(idle);
  const controller = useRef<AbortController>(undefined);
  /**
   * Set if the operator cancels a run before the server has sent its ID. The run is then canceled as soon as the ID
   * arrives.
   */
  const isUnwanted = useRef(false);
  useEffect(() => () => controller.current?.abort(), []);

  const start = useCallback(
    async (
      script: Script,
      request: Omit<RunRequest, 'text' | 'confirmed'>,
      confirmed = false,
    ): Promise<void> => {
      controller.current?.abort();
      const own = new AbortController();
      controller.current = own;
      isUnwanted.current = false;
      const isCurrent = (): boolean => controller.current === own;
      setState({ ...idle, isRunning: true, text: script.all, request, run: emptyOutcome });
      let run = emptyOutcome;
      try {
        for await (const event of runSql(
          { ...request, text: script.text, confirmed },
          mayWrite,
          own.signal,
        )) {
          run = withEvent(run, event, script.offset);
          if (event.event === 'run' && isUnwanted.current) void cancelRun(event.id).catch(() => undefined);
          if (isCurrent()) setState((previous) => ({ ...previous, run }));
        }
        if (isCurrent()) setState((previous) => ({ ...previous, isRunning: false }));
      } catch (error) {
        if (!isCurrent() || own.signal.aborted) return;
        if (error instanceof ApiError && error.code === 'confirm') {
          const questions = error.body.questions as readonly Question[];
          setState({ ...idle, confirmation: { questions, again: () => void start(script, request, true) } });
        } else setState({ ...idle, problem: error });
      } finally {
        void queryClient.invalidateQueries({ queryKey: historyQuery.queryKey });
      }
    },
    [mayWrite, queryClient],
  );

  return {
    state,
    start,
    /** The server ends the run, and the response reports this. */
    cancel: (): void => {
      isUnwanted.current = true;
      if (state.run?.id !== undefined) void cancelRun(state.run.id).catch(() => undefined);
    },
    /** Removes the results, because they belong to another query. */
    clear: useCallback((): void => {
      controller.current?.abort();
      controller.current = undefined;
      setState(idle);
    }, []),
    dismiss: (): void => setState(idle),
  };
}
