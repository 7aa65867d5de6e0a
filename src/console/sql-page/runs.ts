/** The scripts that run at this moment: how many, whose they are, and how each is cancelled. */
import { randomUUID } from 'node:crypto';
import { ConsoleError } from '../errors.ts';

/** Each holds a connection; those of the other pages come from the same few. */
const mostAtOnce = 3;

export interface Running {
  readonly id: string;
  readonly signal: AbortSignal;
  /** It is through, or nobody waits for it any more. */
  readonly finish: () => void;
}

export interface Runs {
  /** @throws {ConsoleError} busy */
  begin(operatorId: string): Running;
  /** False when that operator has no such run (any more). */
  cancel(id: string, operatorId: string): boolean;
}

export function createRuns(): Runs {
  const running = new Map<string, { operatorId: string; controller: AbortController }>();
  return {
    begin(operatorId) {
      if (running.size >= mostAtOnce) throw new ConsoleError('busy');
      const id = randomUUID();
      const controller = new AbortController();
      running.set(id, { operatorId, controller });
      return { id, signal: controller.signal, finish: () => void running.delete(id) };
    },
    cancel(id, operatorId) {
      const run = running.get(id);
      if (run?.operatorId !== operatorId) return false;
      run.controller.abort(new ConsoleError('cancelled'));
      return true;
    },
  };
}
