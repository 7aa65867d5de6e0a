/** Text to value and back, by type of setting. Each parser gives the value, or a sentence about what is wrong. */
import type { Type } from '../schema/define.ts';

export type Parsed = { readonly value: unknown } | { readonly fault: string };

const quoted = (text: string) => JSON.stringify(text);
const ok = (value: unknown): Parsed => ({ value });
const fault = (sentence: string): Parsed => ({ fault: sentence });

/** A scalar from a file, the environment or a flag. Lists and paths are handled by the caller. */
export function parseScalar(type: Type, raw: string | number | boolean, numbersAreUnits: boolean): Parsed {
  const text = String(raw);
  switch (type.name) {
    case 'boolean':
      return parseBoolean(text);
    case 'integer':
      return parseInteger(text, type.min, type.max);
    case 'port': {
      const port = Number(text);
      const valid = /^\d+$/.test(text) && port <= 65_535;
      return valid ? ok(port) : fault(`${quoted(text)} is not a port (0 to 65535)`);
    }
    case 'enum':
      return type.values.includes(text)
        ? ok(text)
        : fault(`${quoted(text)} is not one of ${type.values.map(quoted).join(', ')}`);
    case 'duration':
      if (typeof raw === 'number' && numbersAreUnits) return ok(raw);
      return parseDuration(text);
    case 'size':
      return parseSize(text);
    default:
      return ok(text);
  }
}

function parseBoolean(text: string): Parsed {
  if (/^(true|t|1)$/i.test(text)) return ok(true);
  if (/^(false|f|0)$/i.test(text)) return ok(false);
  return fault(`${quoted(text)} is neither true nor false`);
}

function parseInteger(text: string, min: number, max: number): Parsed {
  const value = Number(text);
  if (!/^-?\d+$/.test(text)) return fault(`${quoted(text)} is not a whole number`);
  return value >= min && value <= max ? ok(value) : fault(`${text} is not between ${min} and ${max}`);
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Go's durations: "2m30s", "1.5h", "0". */
export function parseDuration(text: string): Parsed {
  if (text === '0') return ok(0);
  if (!/^(\d+(\.\d*)?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) {
    return fault(`${quoted(text)} is not a duration such as "30s", "2m30s" or "24h"`);
  }
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([^\d.]+)/g)) {
    ms += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return ok(Math.round(ms * 1e6) / 1e6);
}

/** The largest unit that divides it: 150000 is "2m30s", 5000 is "5s". */
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

/** As upstream reads them, every unit a power of 1024: "50MiB", "5MB", "500 kb", "1024". */
export function parseSize(text: string): Parsed {
  const match = /^(\d+(?:\.\d+)?) ?([kmgtp]?)i?b?$/i.exec(text);
  if (match === null) return fault(`${quoted(text)} is not a size such as "500KB" or "50MiB"`);
  const power = sizeUnits.indexOf((match[2] ?? '').toLowerCase());
  return ok(Math.floor(Number(match[1]) * 1024 ** power));
}

/** 52428800 is "50MiB". */
export function printSize(bytes: number): string {
  let amount = bytes;
  let power = 0;
  while (amount >= 1024 && amount % 1024 === 0 && power < 5) {
    amount /= 1024;
    power++;
  }
  return power === 0 ? `${amount}B` : `${amount}${(sizeUnits[power] ?? '').toUpperCase()}iB`;
}
