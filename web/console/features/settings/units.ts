/** Describes durations, sizes and numbers in words. The descriptions are shown next to the fields. */
import { formatLocale, i18n } from '../../../lib/i18n.ts';
import type { Setting } from './api.ts';
import { t } from './text.ts';

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Returns a duration such as "1h30m" in milliseconds, or undefined if the text can't be parsed. The server determines
 * which durations are valid.
 */
export function durationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * (milliseconds[unit] ?? 0);
  return total;
}

const powers = ['', 'k', 'm', 'g', 't'];

/** Returns a size such as "50MiB" in bytes, or undefined if the text can't be parsed. All units are powers of 1024. */
export function sizeBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?) ?([kmgt]?)i?b?$/i.exec(text);
  return match === null
    ? undefined
    : Math.floor(Number(match[1]) * 1024 ** powers.indexOf((match[2] ?? '').toLowerCase()));
}

const sizeUnits = ['TiB', 'GiB', 'MiB', 'KiB'];

/** Returns a size in the largest unit that doesn't need a fraction. @example spelledSize(52_428_800) // '50 MiB' */
export function spelledSize(bytes: number): string {
  const index = sizeUnits.findIndex((_unit, place) => bytes % 1024 ** (sizeUnits.length - place) === 0);
  const unit = sizeUnits[index];
  return bytes === 0 || unit === undefined
    ? quantity(bytes, 'byte')
    : `${number(bytes / 1024 ** (sizeUnits.length - index))} ${unit}`;
}

const parts = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const;

/** Returns a duration in words. @example spelledDuration(5_400_000) // '1 hour, 30 minutes' */
export function spelledDuration(ms: number): string {
  let rest = ms;
  const words: string[] = [];
  for (const [unit, size] of parts) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) words.push(quantity(amount, unit));
  }
  return words.length === 0 ? quantity(0, 'second') : words.join(', ');
}

const quantity = (amount: number, unit: string): string =>
  new Intl.NumberFormat(formatLocale(i18n.locale), { style: 'unit', unit, unitDisplay: 'long' }).format(
    amount,
  );

const number = (value: number): string => new Intl.NumberFormat(formatLocale(i18n.locale)).format(value);

/** A limit of this size or larger is effectively no limit. */
const unlimited = 2 ** 31 - 1;

/**
 * Returns a hint that describes the entered duration or size, or the allowed range of a number. Returns undefined if a
 * hint isn't useful.
 */
export function hintOf(
  { type, min, max, unit, default: standard }: Setting,
  text: string,
): string | undefined {
  const written = text === '' ? (standard ?? '') : text;
  if (type === 'duration') {
    const ms = durationMs(written);
    return ms === undefined ? t('settings.duration-form') : spelledDuration(ms);
  }
  if (type === 'size') {
    const bytes = sizeBytes(written);
    const words = bytes === undefined ? t('settings.size-form') : spelledSize(bytes);
    return unit === undefined ? words : `${words} ${unit}`;
  }
  if (type !== 'integer') return undefined;
  const isSeconds = unit === 'seconds' && /^\d+$/.test(written) && Number(written) >= 60;
  const range =
    min === undefined || max === undefined
      ? []
      : max < unlimited
        ? [t('settings.range', { min: number(min), max: number(max) })]
        : min > 0
          ? [t('settings.at-least', { min: number(min) })]
          : [];
  const words = [...(isSeconds ? [spelledDuration(Number(written) * 1000)] : []), ...range];
  return words.length === 0 ? undefined : words.join(' · ');
}
