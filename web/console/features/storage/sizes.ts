/** Formats and parses file sizes. Units are decimal (1 KB is 1000 bytes), as in the storage service's configuration. */

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/**
 * Formats a size.
 *
 * @example
 * printSize(1536); // '1.5 KB'
 */
export function printSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`;
}

/** Parses a size such as `5 MB`, `5mb` or a plain number of bytes. Returns undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]?B?)\s*$/i.exec(text) ?? [];
  if (number === undefined || unit === undefined) return undefined;
  const power = 'BKMGT'.indexOf(unit.charAt(0).toUpperCase() || 'B');
  const bytes = Math.round(Number(number) * 1000 ** power);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
