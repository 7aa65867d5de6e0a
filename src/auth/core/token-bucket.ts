/** A bucket of permissions that refills evenly: `burst` at once, `perHour` in the long run. */
export interface TokenBucket {
  /** Takes one permission; false: there is none left. */
  take(nowMs: number): boolean;
}

const hourMs = 3_600_000;

export function createTokenBucket(perHour: number, burst = perHour): TokenBucket {
  let level = burst;
  let filledAtMs: number | undefined;
  return {
    take(nowMs) {
      const passed = Math.max(0, nowMs - (filledAtMs ?? nowMs));
      level = Math.min(burst, level + (passed * perHour) / hourMs);
      filledAtMs = nowMs;
      if (level < 1) return false;
      level -= 1;
      return true;
    },
  };
}
