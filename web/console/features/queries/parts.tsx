/** Formats numbers as text. */
import { millis } from '../../components/millis.ts';
import { t } from './text.ts';

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en');

/** Formats a count for a narrow column. */
export const countText = (count: number): string =>
  count < 10_000 ? whole.format(Math.round(count)) : compact.format(count);

export const wholeText = (count: number): string => whole.format(Math.round(count));

/** Formats a duration with up to three significant digits. */
export function durationText(ms: number): string {
  if (ms < 1000) return t('queries.ms', { ms: millis(ms) });
  if (ms < 120_000) return t('queries.seconds', { seconds: (ms / 1000).toFixed(ms < 10_000 ? 1 : 0) });
  if (ms < 7_200_000) return t('queries.minutes', { minutes: (ms / 60_000).toFixed(0) });
  return t('queries.hours', { hours: (ms / 3_600_000).toFixed(0) });
}

export const shareText = (share: number): string =>
  new Intl.NumberFormat('en', {
    style: 'percent',
    maximumFractionDigits: share > 0 && share < 0.1 ? 1 : 0,
  }).format(share);
