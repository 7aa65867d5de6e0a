/** The names that PostgreSQL's error messages use for types that SQL usually abbreviates. */
const shownNames = new Map([
  ['bool', 'boolean'],
  ['char', 'character'],
  ['decimal', 'numeric'],
  ['float', 'double precision'],
  ['float4', 'real'],
  ['float8', 'double precision'],
  ['int', 'integer'],
  ['int2', 'smallint'],
  ['int4', 'integer'],
  ['int8', 'bigint'],
  ['time', 'time without time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['timestamptz', 'timestamp with time zone'],
  ['timetz', 'time with time zone'],
  ['varchar', 'character varying'],
]);

/**
 * Returns the full name of a type.
 * @example canonicalType('public.timestamptz(3)[]') // 'timestamp with time zone[]'
 */
export function canonicalType(type: string): string {
  const name = type
    .toLowerCase()
    .replace(/\([^)]*\)/, '')
    .replace(/^(public|pg_catalog)\./, '')
    .replace(/\s+/g, ' ')
    .trim();
  const element = name.replace(/( ?\[\])+$/, '');
  return `${shownNames.get(element) ?? element}${name.slice(element.length).replaceAll(' ', '')}`;
}

/** Matches words that continue the name of a type, as in `double precision` or `timestamp with time zone`. */
const continuation = /^(precision|varying|with|without)$/;

/**
 * Returns the type of a parameter such as `p_end timestamptz default now()`. Returns undefined for an output parameter,
 * because calls don't pass output parameters.
 */
export function parameterType(
  written: string,
): { readonly type: string; readonly isOptional: boolean } | undefined {
  const [declaration = ''] = written.split(/\bdefault\b|:?=/i);
  const words = declaration.trim().split(/\s+/);
  const mode = /^(in|out|inout|variadic)$/i.exec(words[0] ?? '')?.[0].toLowerCase();
  if (mode === 'out') return undefined;
  if (mode !== undefined) words.shift();
  const hasName = words.length > 1 && !continuation.test(words[1]?.toLowerCase() ?? '');
  const type = words.slice(hasName ? 1 : 0).join(' ');
  return { type, isOptional: declaration.length < written.length };
}
