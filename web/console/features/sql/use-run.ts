/**
 * Runs one query at a time. Asks the operator for confirmation if the server requires it, and collects the results as
 * they arrive.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { cancelRun, historyQuery, type Question, type RunRequest, runSql } from './api.ts';
import { emptyOutcome, type RunOutcome, withEvent } from './outcome.ts';

/** The options of a run that the operator chooses. */
export type RunInput = Omit<RunRequest, 'text' | 'confirmed' | 'repeated'>;

export interface RunState {
  readonly isRunning: boolean;
  readonly run: RunOutcome | undefined;
  /** The editor's text when the run started. */
  readonly text: string;
  /** The options of the run. */
  readonly request: RunInput | undefined;
  readonly problem: unknown;
  /**
   * The confirmations that the server requires, and a function that sends the request again after the operator has
   * confirmed.
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
   * Set if the operator cancels a run before the server has sent its ID. In that case, the run is canceled as soon as
   * the ID arrives.
   */
  const isUnwanted = useRef(false);
  /**
   * The ID of the current run. This ID isn't part of the state, because the state still contains the previous run while
   * a run is repeated.
   */
  const currentId = useRef<string>(undefined);
  const last = useRef<{ readonly script: Script; readonly request: RunInput }>(undefined);
  useEffect(() => () => controller.current?.abort(), []);

  const start = useCallback(
    async (
      script: Script,
      request: RunInput,
      { confirmed = false, repeated = false }: { confirmed?: boolean; repeated?: boolean } = {},
    ): Promise<void> => {
      controller.current?.abort();
      const own = new AbortController();
      controller.current = own;
      isUnwanted.current = false;
      currentId.current = undefined;
      last.current = { script, request };
      const isCurrent = (): boolean => controller.current === own;
      // While a run is repeated, the previous result stays visible until the next result is complete.
      if (repeated) setState((previous) => ({ ...previous, isRunning: true }));
      else setState({ ...idle, isRunning: true, text: script.all, request, run: emptyOutcome });
      let run = emptyOutcome;
      try {
        for await (const event of runSql(
          { ...request, text: script.text, confirmed, repeated },
          mayWrite,
          own.signal,
        )) {
          run = withEvent(run, event, script.offset);
          if (event.event === 'run') {
            currentId.current = event.id;
            if (isUnwanted.current) void cancelRun(event.id).catch(() => undefined);
          }
          if (isCurrent() && !repeated) setState((previous) => ({ ...previous, run }));
        }
        if (isCurrent()) setState((previous) => ({ ...previous, run, isRunning: false }));
      } catch (error) {
        if (!isCurrent() || own.signal.aborted) return;
        if (error instanceof ApiError && error.code === 'confirm') {
          const questions = error.body.questions as readonly Question[];
          setState({
            ...idle,
            confirmation: { questions, again: () => void start(script, request, { confirmed: true }) },
          });
        } else setState({ ...idle, problem: error });
      } finally {
        if (!repeated) void queryClient.invalidateQueries({ queryKey: historyQuery.queryKey });
      }
    },
    [mayWrite, queryClient],
  );

  return {
    state,
    start,
    /** Runs the last script again with the same options. */
    again: (): void => {
      if (last.current === undefined) return;
      void start(last.current.script, last.current.request, { confirmed: true, repeated: true });
    },
    /** Cancels the run. The server ends the run, and the response reports that the run was canceled. */
    cancel: (): void => {
      isUnwanted.current = true;
      if (currentId.current !== undefined) void cancelRun(currentId.current).catch(() => undefined);
    },
    /** Removes the results because they belong to a different query. */
    clear: useCallback((): void => {
      controller.current?.abort();
      controller.current = undefined;
      setState(idle);
    }, []),
    dismiss: (): void => setState(idle),
  };
}
