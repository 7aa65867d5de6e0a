/**
 * Runs a request again for an operator, in transactions that are rolled back. The rollback doesn't depend on the code
 * that serves the request, because every statement passes the request path that this code passes to it.
 */
import { isPostgresError } from '../../base/shared/errors.ts';
import type { Cancellation, PathRequest, Setting } from '../../platform/database/types.ts';
import { type AttemptResponse, attempt, type RestAttempt } from './attempt.ts';
import type { RestRequest } from './core/request.ts';
import type { RestResponse } from './core/respond.ts';
import type { PipelineDeps } from './run.ts';

export interface ReplayLimits {
  /** The most that the request's transactions may do, whatever the request is. */
  readonly access: 'read only' | 'read write';
  readonly maxBytes: number;
  /** The time after which the request is canceled. */
  readonly maxMs: number;
}

/** A statement that a replayed request ran, with its parameters and the settings of its transaction. */
export interface ReplayedStatement {
  readonly text: string;
  readonly params: readonly (string | Uint8Array | null)[];
  readonly settings: readonly Setting[];
}

export interface ReplayResponse extends AttemptResponse {
  readonly headers: RestResponse['headers'];
  readonly durationMs: number;
  /** Whether the request was canceled because it took longer than {@link ReplayLimits.maxMs}. */
  readonly isTimedOut: boolean;
  readonly statements: readonly ReplayedStatement[];
  /** The SQLSTATE of the error with which the statements failed. Undefined if the database executed them. */
  readonly sqlstate: string | undefined;
}

/** Runs a request whose transactions are always rolled back. */
export type Replay = (
  request: Omit<RestAttempt, 'rollsBack'>,
  limits: ReplayLimits,
) => Promise<ReplayResponse>;

/**
 * Creates a function that runs requests and rolls them back. The rollback doesn't depend on the code that serves the
 * request, because every statement passes the request path that is given to `handle`.
 */
export const createReplay =
  (handle: (request: RestRequest, deps: PipelineDeps) => Promise<RestResponse>, deps: PipelineDeps): Replay =>
  async (request, { access, maxBytes, maxMs }) => {
    const statements: ReplayedStatement[] = [];
    const startedAt = performance.now();
    const until = startedAt + maxMs;
    let isTimedOut = false;
    let sqlstate: string | undefined;
    const signal: Cancellation = {
      get aborted() {
        isTimedOut ||= performance.now() > until;
        return isTimedOut;
      },
      get reason() {
        // The response is the same as after a statement timeout.
        const message = `the request was canceled because it took longer than ${maxMs} ms`;
        return Object.assign(new Error(message), { severity: 'ERROR', code: '57014' });
      },
    };
    const requestPath: PipelineDeps['requestPath'] = {
      async execute({ replica: _primaryOnly, ...given }) {
        const { settings, before = [], statement, params } = given;
        for (const each of [...before, { text: statement.text, params }])
          statements.push({ text: each.text, params: each.params, settings });
        const executed = deps.requestPath.execute({
          ...given,
          ...(access === 'read only' ? { access } : {}),
          explicit: rollingBack(given.explicit),
          lane: 'alone',
          // Functions can leave locks, settings and temporary tables behind, whatever the request is.
          resetAfter: true,
          signal,
        });
        executed.catch((error: unknown) => {
          if (isPostgresError(error)) sqlstate = error.code;
        });
        return await executed;
      },
    };
    const response = await attempt(
      (inner) => handle(inner, { ...deps, requestPath }),
      { ...request, rollsBack: true },
      maxBytes,
    );
    return { ...response, durationMs: performance.now() - startedAt, isTimedOut, statements, sqlstate };
  };

/** The decision still runs, because the code that serves the request may depend on its effects. */
function rollingBack(explicit: PathRequest['explicit']): NonNullable<PathRequest['explicit']> {
  return {
    ...explicit,
    decide(result) {
      explicit?.decide(result);
      return 'rollback';
    },
  };
}
