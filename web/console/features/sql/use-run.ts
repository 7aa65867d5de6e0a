/**
 * Runs one query at a time: starts it, asks for the confirmation that the server requires, cancels it, and collects the
 * results.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { cancelRun, historyQuery, type Question, type RunRequest, runSql } from './api.ts';
import { emptyOutcome, type RunOutcome, withEvent } from './outcome.ts';

export interface RunState {
  readonly isRunning: boolean;
  readonly run: RunOutcome | undefined;
  /** The editor's text at the time of the run. */
  readonly text: string;
  /** The options of the run. */
  readonly request: Omit<RunRequest, 'text' | 'confirmed'> | undefined;
  readonly problem: unknown;
  /** The server's questions, and the request to send after confirmation. */
  readonly asked: { readonly questions: readonly Question[]; readonly again: () => void } | undefined;
}

const idle: RunState = {
  isRunning: false,
  run: undefined,
  text: '',
  request: undefined,
  problem: null,
  asked: undefined,
};

export interface Script {
  /** The editor's whole text, for error positions. */
  readonly all: string;
  /** The part that is run, and its offset. */
  readonly text: string;
  readonly offset: number;
}

export function useRun(mayWrite: boolean) {
  const queryClient = useQueryClient();
  const [state, setState] = useState<RunState>(idle);
  const controller = useRef<AbortController>(undefined);
  /** Whether the user has canceled the run, possibly before the server has sent its ID. */
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
          if (isCurrent()) setState((former) => ({ ...former, run }));
        }
        if (isCurrent()) setState((former) => ({ ...former, isRunning: false }));
      } catch (error) {
        if (!isCurrent() || own.signal.aborted) return;
        if (error instanceof ApiError && error.code === 'confirm') {
          const questions = error.body.questions as readonly Question[];
          setState({ ...idle, asked: { questions, again: () => void start(script, request, true) } });
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
    /** The server ends the run and reports it in the response. */
    cancel: (): void => {
      isUnwanted.current = true;
      if (state.run?.id !== undefined) void cancelRun(state.run.id).catch(() => undefined);
    },
    /** The shown results belong to another query. */
    clear: useCallback((): void => {
      controller.current?.abort();
      controller.current = undefined;
      setState(idle);
    }, []),
    dismiss: (): void => setState(idle),
  };
}
