/** SAML assertions that were accepted: each is good for one sign-in. */
import type { Queryable } from '../database/types.ts';
import { deleteOldAssertions, findSessionEnd, type SpentAssertion, spendAssertion } from './queries/sso.ts';

export interface SpentAssertions {
  /** False when it was spent before. */
  spend(assertion: SpentAssertion): Promise<boolean>;
  /** Until when the session of this flow may last; undefined when the provider did not say. */
  sessionEnd(flowStateId: string): Promise<string | undefined>;
  /** Forgets what nobody could present any more. */
  sweep(nowMs: number): Promise<void>;
}

/** In the database, for all processes on it. */
export function sharedAssertions(db: Queryable): SpentAssertions {
  return {
    spend: (assertion) => spendAssertion(db, assertion),
    sessionEnd: (flowStateId) => findSessionEnd(db, flowStateId),
    sweep: (nowMs) => deleteOldAssertions(db, nowMs),
  };
}

/** In this process alone, for a database that holds no tables of ours. */
export function localAssertions(): SpentAssertions {
  const spent = new Map<string, SpentAssertion>();
  return {
    async spend(assertion) {
      const key = assertion.hash.toString('hex');
      if (spent.has(key)) return false;
      spent.set(key, assertion);
      return true;
    },
    async sessionEnd(flowStateId) {
      for (const assertion of spent.values()) {
        if (assertion.flowStateId === flowStateId) return assertion.sessionNotAfter;
      }
      return undefined;
    },
    async sweep(nowMs) {
      for (const [key, { expiresAtMs }] of spent) if (expiresAtMs < nowMs) spent.delete(key);
    },
  };
}
