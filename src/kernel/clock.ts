/** Passes the time as a parameter so that pure code can be tested at any point in time. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
