/** Returns the browser and operating system in a User-Agent header, in enough detail to recognize a device. */

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** @example browserOf('Mozilla/5.0 (X11; Linux x86_64) … Firefox/140.0') // 'Firefox, Linux' */
export function browserOf(userAgent: string | null): string {
  const text = userAgent ?? '';
  const find = (table: typeof browsers): string | undefined =>
    table.find(([pattern]) => pattern.test(text))?.[1];
  const known = [find(browsers), find(systems)].filter((part) => part !== undefined);
  return known.length > 0 ? known.join(', ') : text.slice(0, 40) || '—';
}
