/** Provides the current time. Tests can replace the clock to simulate any point in time. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
}

/** The wall clock, which an administrator or NTP can adjust. Used for tokens, expiry times and all stored times. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * A clock that counts from an arbitrary time and is never adjusted. Used to measure durations, time limits, cache
 * lifetimes and delays within this process.
 */
export const monotonicClock: Clock = { now: () => performance.now() };

/** Returns the time since `then` on the wall clock, or Infinity if the clock has been set back since then. */
export const ageMs = (then: number, now: number): number =>
  now >= then ? now - then : Number.POSITIVE_INFINITY;
