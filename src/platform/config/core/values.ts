/** Parses and formats values according to their setting's type. A parser returns a value or an error message. */

import { parseGoDuration } from '../../../base/shared/go-duration.ts';
import type { Type } from '../schema/define.ts';

/** A parsed value. `readAs` is set if the text isn't in the standard form but can be interpreted unambiguously. */
export type Parsed = { readonly value: unknown; readonly readAs?: string } | { readonly fault: string };

const quoted = (text: string) => JSON.stringify(text);
const ok = (value: unknown): Parsed => ({ value });
const readAs = (value: unknown, shown: string): Parsed => ({ value, readAs: shown });
const fault = (sentence: string): Parsed => ({ fault: sentence });

/** Parses a single value from a file, the environment or a flag. Lists and file paths are parsed by the caller. */
export function parseScalar(type: Type, raw: string | number | boolean, numbersAreUnits: boolean): Parsed {
  const text = String(raw);
  switch (type.name) {
    case 'boolean':
      return parseBoolean(text);
    case 'integer':
      if (type.orAuto && text === 'auto') return ok(text);
      return type.isVersion ? parseVersion(text, type) : parseInteger(text, type, type.orAuto);
    case 'port': {
      const port = Number(text);
      const valid = /^\d+$/.test(text) && port <= 65_535;
      return valid ? ok(port) : fault(`${quoted(text)} isn't a port (0 to 65535)`);
    }
    case 'enum':
      return parseEnum(text, type.values);
    case 'duration':
      if (typeof raw === 'number' && numbersAreUnits) return ok(raw);
      return parseLooseDuration(text);
    case 'size':
      return parseSize(text);
    default:
      return ok(text);
  }
}

export function parseBoolean(text: string): Parsed {
  if (/^(true|t|1)$/i.test(text)) return ok(true);
  if (/^(false|f|0)$/i.test(text)) return ok(false);
  if (/^\s*(true|yes|on|y|enabled)\s*$/i.test(text)) return readAs(true, 'true');
  if (/^\s*(false|no|off|n|disabled)\s*$/i.test(text)) return readAs(false, 'false');
  return fault(`${quoted(text)} isn't true or false`);
}

/** Parses an enum value. Ignores case and separators unless some allowed values differ only in case or separators. */
function parseEnum(text: string, values: readonly string[]): Parsed {
  if (values.includes(text)) return ok(text);
  const plain = (value: string) => value.toLowerCase().replace(/[\s_-]/g, '');
  const [only, second] = values.filter((value) => plain(value) === plain(text));
  if (only !== undefined && second === undefined) return readAs(only, quoted(only));
  return fault(`${quoted(text)} is not one of ${values.map(quoted).join(', ')}`);
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

function parseInteger(text: string, { min, max }: Bounds, orAuto = false): Parsed {
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) {
    return fault(`${quoted(text)} isn't a whole number${orAuto ? ' or "auto"' : ''}`);
  }
  return value >= min && value <= max ? ok(value) : fault(`${text} is not between ${min} and ${max}`);
}

/** Parses a version number and returns its first part, such as 15 for "15.8". */
function parseVersion(text: string, bounds: Bounds): Parsed {
  const major = /^\s*v?(\d+)(?:\.\d+)*\s*$/i.exec(text)?.[1];
  if (major === undefined || major === text) return parseInteger(text, bounds);
  const parsed = parseInteger(major, bounds);
  return 'value' in parsed ? readAs(parsed.value, major) : parsed;
}

const unitNames: readonly (readonly [RegExp, string])[] = [
  [/^(seconds?|secs?)$/, 's'],
  [/^(minutes?|mins?)$/, 'm'],
  [/^(hours?|hrs?)$/, 'h'],
];

/**
 * Parses durations such as "30 seconds", "24H" and "7 days". Rejects numbers without a unit and ambiguous values such
 * as "2M".
 */
function parseLooseDuration(text: string): Parsed {
  const exact = parseDuration(text);
  if ('value' in exact || /\dM/.test(text.replaceAll(' ', ''))) return exact;
  const written = text
    .toLowerCase()
    .replace(/\s+/g, '')
    .replace(/[a-zµμ]+/g, (unit) => unitNames.find(([names]) => names.test(unit))?.[1] ?? unit)
    .replace(/([\d.]+)d(?:ays?)?(?![a-z])/g, (_, days: string) => `${Number(days) * 24}h`);
  const parsed = parseDuration(written);
  return 'value' in parsed ? readAs(parsed.value, quoted(written)) : exact;
}

/** Parses a duration in Go's format without a sign, such as "2m30s", "1.5h" or "0". */
export function parseDuration(text: string): Parsed {
  const ms = /^\d/.test(text) ? parseGoDuration(text) : undefined;
  if (ms === undefined) return fault(`${quoted(text)} isn't a duration such as "30s", "2m30s" or "24h"`);
  return ok(Math.round(ms * 1e6) / 1e6);
}

/** Formats a duration in Go's format. For example, 150000 becomes "2m30s", and 5000 becomes "5s". */
export function printDuration(ms: number): string {
  if (ms % 1000 !== 0) return `${ms}ms`;
  const parts = [
    [Math.floor(ms / 3_600_000), 'h'],
    [Math.floor(ms / 60_000) % 60, 'm'],
    [(ms / 1000) % 60, 's'],
  ] as const;
  return parts.map(([amount, unit]) => (amount === 0 ? '' : `${amount}${unit}`)).join('') || '0s';
}

const sizeUnits = ['', 'k', 'm', 'g', 't', 'p'];

/** Parses a size such as "50MiB", "5MB", "500 kb" or "1024". As in upstream's CLI, all units are powers of 1024. */
export function parseSize(text: string): Parsed {
  const match = /^(\d+(?:\.\d+)?) ?([kmgtp]?)i?b?$/i.exec(text);
  if (match === null) return fault(`${quoted(text)} isn't a size such as "500KB" or "50MiB"`);
  const power = sizeUnits.indexOf((match[2] ?? '').toLowerCase());
  return ok(Math.floor(Number(match[1]) * 1024 ** power));
}

/** Formats a size. For example, 52428800 becomes "50MiB". */
export function printSize(bytes: number): string {
  let amount = bytes;
  let power = 0;
  while (amount >= 1024 && amount % 1024 === 0 && power < 5) {
    amount /= 1024;
    power++;
  }
  return power === 0 ? `${amount}B` : `${amount}${(sizeUnits[power] ?? '').toUpperCase()}iB`;
}
