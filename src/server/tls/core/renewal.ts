/**
 * Determines when a certificate is renewed and when its remaining lifetime is reported as a problem. All times are in
 * milliseconds.
 */
import type { Health } from '../../../base/kernel/service.ts';

interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The fraction of the lifetime after which a certificate is renewed. */
const renewalPart = 2 / 3;
/** The fraction of the lifetime over which renewals are spread, so that many servers don't renew at the same time. */
const jitterPart = 1 / 20;

/** Returns when a certificate is renewed. @param random A number from 0 to 1. */
export const renewalTime = ({ notBefore, notAfter }: Validity, random: number): number =>
  notBefore + (notAfter - notBefore) * (renewalPart + jitterPart * random);

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The delays between attempts. With these delays, attempts stay within Let's Encrypt's limit of five failed validations
 * per hostname per hour.
 */
export const standardBackoff: Backoff = { firstMs: 3 * 60_000, maxMs: 6 * 60 * 60_000 };

/**
 * Returns the delay before the next attempt. The delay doubles with each failure up to `maxMs`, and is then extended by
 * a random 0 to 20%.
 * @param failures The number of consecutive failures, from 1.
 */
export const retryDelay = (failures: number, random: number, { firstMs, maxMs }: Backoff): number =>
  Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 + random / 5);

const maxWarningMs = 14 * 24 * 60 * 60_000;

/**
 * Reports a certificate as a problem if less than a sixth of its lifetime and less than 14 days remain, because it
 * should already have been renewed.
 */
export function expiryHealth(name: string, { notBefore, notAfter }: Validity, now: number): Health {
  const date = new Date(notAfter).toISOString().slice(0, 16);
  if (now >= notAfter)
    return { status: 'failing', message: `The certificate for ${name} expired at ${date} UTC.` };
  return notAfter - now < Math.min(maxWarningMs, (notAfter - notBefore) / 6)
    ? { status: 'degraded', message: `The certificate for ${name} expires at ${date} UTC.` }
    : { status: 'ok' };
}
