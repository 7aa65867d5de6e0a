import { toMs } from '../common/times.ts';

/** Whether a code has expired. A code that was never sent counts as expired. */
export function isCodeExpired(sentAt: string | null, lifetimeMs: number, nowMs: number): boolean {
  return sentAt === null || nowMs > toMs(sentAt) + lifetimeMs;
}
