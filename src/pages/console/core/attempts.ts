/** Counts failed sign-ins per IP address and time window, to slow down guessing attacks. */

export interface Attempts {
  /** Returns how many seconds the IP address must wait, or 0 if another attempt is allowed now. */
  waitSeconds(address: string, now: number): number;
  /**
   * Counts an attempt before its secret is looked up, so that concurrent attempts can't exceed the limit. Returns how
   * many seconds the IP address must wait, or 0 if the attempt is allowed.
   */
  reserve(address: string, now: number): number;
  /** Returns a reserved attempt after a correct secret. */
  release(address: string): void;
}

export interface AttemptLimits {
  readonly max: number;
  readonly windowMs: number;
  /**
   * The maximum number of IP addresses stored. If this number is exceeded, the oldest address is removed to limit
   * memory use.
   */
  readonly addresses: number;
}

export function createAttempts({ max, windowMs, addresses }: AttemptLimits): Attempts {
  const windows = new Map<string, { count: number; until: number }>();
  const waitSeconds = (address: string, now: number): number => {
    const window = windows.get(address);
    if (window === undefined || window.until <= now || window.count < max) return 0;
    return Math.ceil((window.until - now) / 1000);
  };
  return {
    waitSeconds,
    release(address) {
      const window = windows.get(address);
      if (window !== undefined) window.count = Math.max(0, window.count - 1);
    },
    reserve(address, now) {
      const seconds = waitSeconds(address, now);
      if (seconds > 0) return seconds;
      const window = windows.get(address);
      if (window !== undefined && window.until > now) {
        window.count++;
        return 0;
      }
      windows.delete(address);
      const [oldest] = windows.keys();
      if (windows.size >= addresses && oldest !== undefined) windows.delete(oldest);
      windows.set(address, { count: 1, until: now + windowMs });
      return 0;
    },
  };
}
