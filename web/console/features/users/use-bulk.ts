/** Runs a bulk action in batches, with progress. */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import type { BulkAction, BulkResult } from './api.ts';

/** The number of users per batch. With batches of this size, the displayed progress changes every few seconds. */
const batchSize = 50;

export interface BulkRun {
  readonly action: BulkAction;
  readonly total: number;
  readonly done: number;
  readonly undoable: readonly string[];
  readonly failures: BulkResult['failures'];
  /** The users whose batches haven't been sent because the run was stopped or a request failed. */
  readonly left: readonly string[];
  readonly isRunning: boolean;
  /** The error of the request that failed. The errors of single users are in `failures`. */
  readonly error: unknown;
}

export function useBulk() {
  const queryClient = useQueryClient();
  const [run, setRun] = useState<BulkRun>();
  const isStopped = useRef(false);

  async function start(action: BulkAction, ids: readonly string[]): Promise<void> {
    isStopped.current = false;
    const operation = crypto.randomUUID();
    let state: BulkRun = {
      action,
      total: ids.length,
      done: 0,
      undoable: [],
      failures: [],
      left: ids,
      isRunning: true,
      error: null,
    };
    setRun(state);
    while (state.left.length > 0 && !isStopped.current) {
      const batch = state.left.slice(0, batchSize);
      try {
        const result = await fetchConsole('POST /users/bulk', { body: { action, ids: batch, operation } });
        state = {
          ...state,
          done: state.done + result.done.length,
          undoable: [...state.undoable, ...result.undoable],
          failures: [...state.failures, ...result.failures],
          left: state.left.slice(batch.length),
        };
      } catch (error) {
        state = { ...state, error };
        break;
      }
      setRun(state);
    }
    setRun({ ...state, isRunning: false });
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['users'] }),
      queryClient.invalidateQueries({ queryKey: ['user'] }),
    ]);
  }

  return {
    run,
    start,
    stop: () => {
      isStopped.current = true;
    },
  };
}
