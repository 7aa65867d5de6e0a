import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Finding } from '../../../project/advisors/index.ts';

/** The maximum age of findings before the advisors run again. */
const maxAgeMs = 60_000;
const hourMs = 60 * 60_000;

export interface RecentAdvisors {
  /** Runs all advisors and returns their findings. */
  fresh(): Promise<readonly Finding[]>;
  /** Returns findings that are at most a minute old. */
  recent(): Promise<readonly Finding[]>;
  /** Returns findings that are at most an hour old, for checks that are repeated all the time. */
  hourly(): Promise<readonly Finding[]>;
}

export function createRecentAdvisors(pool: Pool, config: LiveConfig, now: () => number): RecentAdvisors {
  let last: { readonly atMs: number; readonly findings: Promise<readonly Finding[]> } | undefined;
  function fresh(): Promise<readonly Finding[]> {
    const findings = import('../../../project/advisors/index.ts').then(({ runAdvisors }) =>
      runAdvisors(pool, { exposedSchemas: config.current.api.schemas }),
    );
    const run = { atMs: now(), findings };
    last = run;
    // The result of a failed run isn't reused.
    findings.catch(() => {
      if (last === run) last = undefined;
    });
    return findings;
  }
  const atMost = (ageMs: number): Promise<readonly Finding[]> =>
    last !== undefined && now() - last.atMs < ageMs ? last.findings : fresh();
  return { fresh, recent: () => atMost(maxAgeMs), hourly: () => atMost(hourMs) };
}
