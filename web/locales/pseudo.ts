/**
 * Generates the pseudo-locale from the compiled English messages. It makes every text longer and accented, which
 * immediately reveals strings outside of the catalogs and boxes that can't grow. Placeholders remain unchanged.
 */
const accents: Readonly<Record<string, string>> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'đ',
  e: 'é',
  f: 'ƒ',
  g: 'ğ',
  h: 'ĥ',
  i: 'í',
  j: 'ĵ',
  k: 'ķ',
  l: 'ĺ',
  m: 'ɱ',
  n: 'ñ',
  o: 'ó',
  p: 'þ',
  q: 'ɋ',
  r: 'ŕ',
  s: 'š',
  t: 'ţ',
  u: 'ú',
  v: 'ṽ',
  w: 'ŵ',
  x: 'ẋ',
  y: 'ý',
  z: 'ž',
};

function accented(text: string): string {
  return text.replace(/[a-z]/g, (letter) => accents[letter] ?? letter);
}

/**
 * The literal parts of a compiled message are strings. Placeholders are arrays, and their options may contain messages.
 */
function convert(part: unknown): unknown {
  if (typeof part === 'string') return accented(part);
  if (!Array.isArray(part)) return part;
  const [name, format, options] = part as [string, string?, unknown?];
  if (options === null || typeof options !== 'object') return part;
  return [
    name,
    format,
    Object.fromEntries(Object.entries(options).map(([key, value]) => [key, message(value)])),
  ];
}

function message(value: unknown): unknown {
  if (typeof value === 'string') return accented(value);
  return Array.isArray(value) ? value.map(convert) : value;
}

function padded(value: unknown): unknown {
  const changed = message(value);
  return Array.isArray(changed) ? ['⟨', ...changed, ' ···⟩'] : `⟨${String(changed)} ···⟩`;
}

export function pseudoMessages(messages: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(messages).map(([id, value]) => [id, padded(value) as string]));
}
