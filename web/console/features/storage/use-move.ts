/** Moves files and folders one after another, with progress. A move that failed or stopped can be continued. */

import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { messageOf } from '../../components/problem-box.tsx';
import { refreshFiles } from './api.ts';

export interface Step {
  /** The path to a file, or to a folder with its trailing slash. */
  readonly from: string;
  readonly to: string;
}

export interface Move {
  readonly moved: number;
  readonly failures: readonly { readonly path: string; readonly message: string }[];
  /** The steps that aren't complete, without files that were already moved. */
  readonly left: readonly Step[];
  readonly isRunning: boolean;
  readonly error: unknown;
}

export function useMove(bucket: string) {
  const queryClient = useQueryClient();
  const [move, setMove] = useState<Move>();
  const isStopped = useRef(false);

  async function start(steps: readonly Step[], toBucket: string): Promise<boolean> {
    isStopped.current = false;
    let state: Move = { moved: 0, failures: [], left: steps, isRunning: true, error: null };
    const show = (changes: Partial<Move>): void => {
      state = { ...state, ...changes };
      setMove(state);
    };
    show({});
    const unfinished: Step[] = [];
    try {
      for (const [index, step] of steps.entries()) {
        if (isStopped.current) break;
        const failed = await run(step, toBucket, (moved, failures) =>
          show({ moved: state.moved + moved, failures: [...state.failures, ...failures] }),
        );
        if (failed) unfinished.push(step);
        show({ left: [...unfinished, ...steps.slice(index + 1)] });
      }
    } catch (error) {
      show({ error });
    }
    show({ isRunning: false });
    await refreshFiles(queryClient, ['files']);
    return state.left.length === 0 && state.error === null;
  }

  /** Runs the steps and returns whether files remain. */
  async function run(
    { from, to }: Step,
    toBucket: string,
    report: (moved: number, failures: Move['failures']) => void,
  ): Promise<boolean> {
    const params = { bucket };
    if (!from.endsWith('/')) {
      try {
        await fetchConsole('POST /storage/buckets/:bucket/move', {
          params,
          body: { from, to, bucket: toBucket },
        });
        report(1, []);
        return false;
      } catch (error) {
        report(0, [{ path: from, message: messageOf(error) }]);
        return true;
      }
    }
    let cursor: string | undefined;
    let hasFailed = false;
    do {
      const result = await fetchConsole('POST /storage/buckets/:bucket/move-folder', {
        params,
        body: { from, to, bucket: toBucket, ...(cursor === undefined ? {} : { cursor }) },
      });
      report(result.moved, result.failures);
      hasFailed ||= result.failures.length > 0;
      cursor = result.next ?? undefined;
    } while (cursor !== undefined && !isStopped.current);
    return hasFailed || cursor !== undefined;
  }

  return {
    move,
    start,
    stop: () => {
      isStopped.current = true;
    },
  };
}
