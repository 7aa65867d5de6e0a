/** Decides which statements of the last hour are worth a notice on the home page. */
import { meanOf, type Totals, varianceOf } from './totals.ts';

const minCallsBefore = 50;
const minCallsAfter = 20;
/** The mean must have grown by this factor and by this duration. */
const minFactor = 2;
const minGrowthMs = 5;
/** The additional time that all calls have taken together. Less time doesn't matter, however slow a call is. */
const minLostMs = 1000;
/** The difference of the means in standard errors (Welch's t-test). */
const minDeviation = 4;

/** Whether a statement has become slower, beyond the usual variation and by an amount that matters. */
export function isSlower(before: Totals, after: Totals): boolean {
  if (before.calls < minCallsBefore || after.calls < minCallsAfter) return false;
  const growth = meanOf(after) - meanOf(before);
  if (growth < minGrowthMs || meanOf(after) < minFactor * meanOf(before)) return false;
  if (growth * after.calls < minLostMs) return false;
  const [varianceBefore, varianceAfter] = [varianceOf(before), varianceOf(after)];
  if (varianceBefore === null || varianceAfter === null) return true;
  return growth >= minDeviation * Math.sqrt(varianceBefore / before.calls + varianceAfter / after.calls);
}

/** The minimum share of the total time, and the minimum time, with which a new statement is worth a notice. */
const minNewShare = 0.1;
const minNewMs = 5000;

/** Whether a new statement takes a large part of the time of all statements. */
export const isCostly = (totalMs: number, allMs: number): boolean =>
  totalMs >= minNewMs && totalMs >= allMs * minNewShare;
