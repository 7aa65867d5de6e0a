/**
 * Explains why a session ended. Only the Account pages call this operation, and only for a browser in which the session
 * was used.
 */

import type { Call, Operation } from '../common/operation.ts';
import { explainEnding, type SessionEnding } from './endings.ts';

interface EndedCall extends Call {
  readonly userId: string;
  readonly sinceMs: number;
}

export const endedSession: Operation<EndedCall, SessionEnding | undefined> = {
  guards: [],
  run: (ctx, ended) => explainEnding(ctx, ended),
};
