/** Records accepted SAML assertions, so that each assertion can be used for only one sign-in. */
import type { Queryable } from '../../../platform/database/types.ts';
import { type ConsumedAssertion, consumeAssertion, deleteOldAssertions, findSessionEnd } from './queries.ts';

export interface ConsumedAssertions {
  /** Records an assertion. Returns false if the assertion has already been used. */
  spend(assertion: ConsumedAssertion): Promise<boolean>;
  /** Returns the time at which this flow's session must end, or undefined if the provider hasn't set a limit. */
  sessionEnd(flowStateId: string): Promise<string | undefined>;
  /** Deletes expired assertions. */
  sweep(nowMs: number): Promise<void>;
}

/** Stores assertions in the database, which all processes share. */
export function sharedAssertions(db: Queryable): ConsumedAssertions {
  return {
    spend: (assertion) => consumeAssertion(db, assertion),
    sessionEnd: (flowStateId) => findSessionEnd(db, flowStateId),
    sweep: (nowMs) => deleteOldAssertions(db, nowMs),
  };
}

/** Stores assertions in this process's memory, for databases without Plinth's own tables. */
export function localAssertions(): ConsumedAssertions {
  const spent = new Map<string, ConsumedAssertion>();
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
