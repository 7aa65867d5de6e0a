/** The time steps whose codes were accepted: each code of an authenticator app works once (RFC 6238 section 5.2). */
import type { Queryable } from '../database/types.ts';
import { oldestTotpStep } from '../kernel/totp.ts';
import { deleteTotpSteps, takeTotpStep } from './queries/totp-steps.ts';

export interface TotpSteps {
  /** False when this step or a newer one of the factor was taken before. */
  take(factorId: string, step: number): Promise<boolean>;
  /** Forgets steps whose codes no longer count. */
  sweep(nowMs: number): Promise<void>;
}

/** In the database, for all processes on it. */
export function sharedTotpSteps(db: Queryable): TotpSteps {
  return {
    take: (factorId, step) => takeTotpStep(db, factorId, step),
    sweep: (nowMs) => deleteTotpSteps(db, oldestTotpStep(nowMs)),
  };
}

/** In this process alone, for a database without tables of ours. */
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
