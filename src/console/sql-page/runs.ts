/** Tracks the running scripts, their operators and how to cancel them. */
import { randomUUID } from 'node:crypto';
import { ConsoleError } from '../errors.ts';

/** Each run uses a connection of the pool that the other pages share. */
const mostAtOnce = 3;

export interface Running {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Removes a run that has ended or whose client has disconnected. */
  readonly finish: () => void;
}

export interface Runs {
  /** @throws {ConsoleError} busy */
  begin(operatorId: string): Running;
  /** Returns false if the operator has no such run. */
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
