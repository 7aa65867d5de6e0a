import { formatLocale, i18n } from '../../lib/i18n.ts';

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns a duration in the largest unit that yields a whole number. */
export function durationText(seconds: number): string {
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? (['second', 1] as const);
  const options = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(formatLocale(i18n.locale), options).format(seconds / size);
}
