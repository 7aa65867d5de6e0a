import { t } from './text.ts';

/**
 * The durations of a ban, in hours. The last duration is about a hundred years, which is within the range of a Go
 * duration.
 */
export const banChoices = [1, 24, 7 * 24, 30 * 24, 876_000] as const;

export function durationOf(hours: number): string {
  if (hours === banChoices.at(-1)) return t('users.ban-ever');
  return hours % 24 === 0 ? t('users.ban-days', { days: hours / 24 }) : t('users.ban-hours', { hours });
}
