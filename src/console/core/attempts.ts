/** Counts failed sign-ins per IP address and time window to slow down guessing. */

export interface Attempts {
  /** The number of seconds to wait; 0 if the address may try now. */
  waitSeconds(address: string, now: number): number;
  failed(address: string, now: number): void;
}

export interface AttemptLimits {
  readonly most: number;
  readonly windowMs: number;
  /** The maximum number of addresses kept. The oldest is evicted first, which bounds the memory. */
  readonly addresses: number;
}

/**
 * @example
 * const attempts = createAttempts({ most: 10, windowMs: 60_000, addresses: 1000 });
 */
export function createAttempts({ most, windowMs, addresses }: AttemptLimits): Attempts {
  const windows = new Map<string, { count: number; until: number }>();
  return {
    waitSeconds(address, now) {
      const window = windows.get(address);
      if (window === undefined || window.until <= now || window.count < most) return 0;
      return Math.ceil((window.until - now) / 1000);
    },
    failed(address, now) {
      const window = windows.get(address);
      if (window !== undefined && window.until > now) {
        window.count++;
        return;
      }
      windows.delete(address);
      const [oldest] = windows.keys();
      if (windows.size >= addresses && oldest !== undefined) windows.delete(oldest);
      windows.set(address, { count: 1, until: now + windowMs });
    },
  };
}
