/**
 * Explains why a session ended. Only the Account pages call this operation, and only for a browser in which the session
 * was used.
 */
import { explainEnding, type SessionEnding } from '../flows/session-endings.ts';
import type { Call, Operation } from './operation.ts';

interface EndedCall extends Call {
  readonly userId: string;
  readonly sinceMs: number;
}

export const endedSession: Operation<EndedCall, SessionEnding | undefined> = {
  guards: [],
  run: (ctx, ended) => explainEnding(ctx, ended),
};
