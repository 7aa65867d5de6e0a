/** Accepted SAML assertions. Each is valid for only one sign-in. */
import type { Queryable } from '../database/types.ts';
import { deleteOldAssertions, findSessionEnd, type SpentAssertion, spendAssertion } from './queries/sso.ts';

export interface SpentAssertions {
  /** Returns false if the assertion was used before. */
  spend(assertion: SpentAssertion): Promise<boolean>;
  /** Returns when the session of this flow must end. Undefined if the provider set no limit. */
  sessionEnd(flowStateId: string): Promise<string | undefined>;
  /** Deletes assertions that have expired. */
  sweep(nowMs: number): Promise<void>;
}

/** Stores assertions in the database, where all processes share them. */
export function sharedAssertions(db: Queryable): SpentAssertions {
  return {
    spend: (assertion) => spendAssertion(db, assertion),
    sessionEnd: (flowStateId) => findSessionEnd(db, flowStateId),
    sweep: (nowMs) => deleteOldAssertions(db, nowMs),
  };
}

/** Stores assertions in this process, for databases without our own tables. */
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
