/**
 * Records accepted TOTP time steps, so that each code from an authenticator app works only once (RFC 6238 section 5.2).
 */

import { oldestTotpStep } from '../../../base/shared/one-time-codes.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { consumeTotpStep, deleteTotpSteps } from './own-queries.ts';

export interface TotpSteps {
  /** Records a step. Returns false if this step or a newer step was already recorded for the factor. */
  take(factorId: string, step: number): Promise<boolean>;
  /** Deletes the time steps whose codes have expired. */
  sweep(nowMs: number): Promise<void>;
}

/** Stores time steps in the database, which all processes share. */
export function sharedTotpSteps(db: Queryable): TotpSteps {
  return {
    take: (factorId, step) => consumeTotpStep(db, factorId, step),
    sweep: (nowMs) => deleteTotpSteps(db, oldestTotpStep(nowMs)),
  };
}

/** Stores time steps in this process's memory, for databases without Plinth's own tables. */
export function localTotpSteps(): TotpSteps {
  const steps = new Map<string, number>();
  return {
    async take(factorId, step) {
      if ((steps.get(factorId) ?? -1) >= step) return false;
      steps.set(factorId, step);
      return true;
    },
    async sweep(nowMs) {
      const oldest = oldestTotpStep(nowMs);
      for (const [factorId, step] of steps) if (step < oldest) steps.delete(factorId);
    },
  };
}
