/** Tracks which scripts are running, which operators started them, and how they are canceled. */
import { randomUUID } from 'node:crypto';
import { ConsoleError } from '../errors.ts';

/** The maximum number of concurrent runs. Each run occupies a connection of the pool that other pages also use. */
const maxAtOnce = 3;
/** The maximum number of concurrent runs per operator, so that other operators can also run statements. */
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
  /** Cancels a run. Returns false if the operator has no run with this ID. */
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
