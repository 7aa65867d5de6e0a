/** Determines when a failed delivery is sent again, and when a webhook is disabled. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The delays after each failed attempt. After the attempt that follows the last delay, the delivery has failed. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  1 * minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/**
 * An event waits for the earlier events of its user, until the earlier event's attempt with this number has begun. Then
 * one event that a receiver can't process doesn't block the user's other events.
 */
export const orderedAttempts = 4;

/** A webhook that has failed for this long, without a single success, is disabled. */
export const disableAfterMs = 5 * day;

/** Events and their deliveries are deleted after this duration. */
export const retentionMs = 7 * day;

/** If there are more events than this, the oldest ones that aren't waiting for a delivery are deleted early. */
export const maxStoredEvents = 100_000;

/**
 * Returns the delay after an attempt failed, with up to a tenth more, so that the deliveries of an outage aren't all
 * sent at the same moment. Returns undefined if that was the last attempt.
 *
 * @param attempts the number of attempts, including the failed one
 * @param random a number from 0 to 1
 */
export function retryDelayMs(attempts: number, random: number): number | undefined {
  const delay = retryDelaysMs[attempts - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 + random / 10));
}
