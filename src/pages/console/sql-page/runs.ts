/** Keeps track of the running scripts and the operators who started them, so that the scripts can be canceled. */
import { randomUUID } from 'node:crypto';
import { ConsoleError } from '../errors.ts';

/**
 * The maximum number of concurrent runs. Each run uses a connection from the pool, which is shared with other pages.
 */
const maxAtOnce = 3;
/** The maximum number of concurrent runs per operator. This limit leaves connections for other operators. */
const maxPerOperator = 2;

export interface Running {
  readonly id: string;
  readonly signal: AbortSignal;
  /** Removes a run that has ended or whose client has disconnected. */
  readonly finish: () => void;
}

export interface Runs {
  /** Adds a run. @throws {ConsoleError} busy */
  begin(operatorId: string): Running;
  /** Cancels a run. Returns false if the operator doesn't have a run with this ID. */
  cancel(id: string, operatorId: string): boolean;
}

export function createRuns(): Runs {
  const running = new Map<string, { operatorId: string; controller: AbortController }>();
  return {
    begin(operatorId) {
      const own = [...running.values()].filter((run) => run.operatorId === operatorId);
      if (running.size >= maxAtOnce || own.length >= maxPerOperator) throw new ConsoleError('busy');
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
