/**
 * Converts PostgreSQL's text output to JSON as `to_jsonb` does. Numbers and booleans are unquoted, JSON is unchanged,
 * timestamps contain `T`, and arrays and rows become JSON arrays and objects. All other values become strings.
 */

/** The representation of a type in JSON. Domains are represented like their base types. */
export type TypeShape =
  | { readonly kind: 'number' | 'boolean' | 'json' | 'timestamp' | 'timestamptz' | 'bytea' | 'text' }
  /** A type with a cast to json, or a type that contains such a type. PostgreSQL converts the values. */
  | { readonly kind: 'cast' }
  | { readonly kind: 'array'; readonly element: TypeShape; readonly delimiter: string }
  /** The types `int2vector` and `oidvector`, whose elements are separated by spaces. */
  | { readonly kind: 'vector'; readonly element: TypeShape }
  | {
      readonly kind: 'composite';
      readonly attributes: readonly { readonly name: string; readonly shape: TypeShape }[];
    };

export function jsonText(shape: TypeShape, text: string | null): string {
  if (text === null) return 'null';
  switch (shape.kind) {
    case 'number':
      // JSON can't represent NaN and Infinity, so these values become strings.
      return /^-?\d/.test(text) ? text : JSON.stringify(text);
    case 'boolean':
      return text === 't' || text === 'true' ? 'true' : 'false';
    case 'json':
      return text;
    case 'timestamp':
      return JSON.stringify(text.replace(' ', 'T'));
    case 'timestamptz':
      return JSON.stringify(withFullOffset(text.replace(' ', 'T')));
    case 'bytea':
      // Only columns have this kind. Nested values are texts with the prefix `\x`.
      return JSON.stringify(text.startsWith('\\x') ? text.slice(2) : text);
    case 'text':
    case 'cast':
      return JSON.stringify(text);
    case 'vector':
      return `[${text
        .split(' ')
        .filter((item) => item !== '')
        .map((item) => jsonText(shape.element, item))
        .join(',')}]`;
    case 'array':
      return arrayJson(shape, text);
    case 'composite':
      return compositeJson(shape, text);
  }
}

/** Changes the offset `+00` to `+00:00`. An era such as BC can follow the offset. */
function withFullOffset(text: string): string {
  return text.replace(/([+-]\d\d)(?=$| )/, '$1:00');
}

function arrayJson(shape: TypeShape & { kind: 'array' }, text: string): string {
  // If the lower bound of an array isn't 1, the array's bounds precede its elements, as in `[0:1]={…}`.
  const body = text.startsWith('[') ? text.slice(text.indexOf('=') + 1) : text;
  const parts: string[] = [];
  let at = 0;
  const element = (): string => {
    if (body[at] === '{') return list();
    if (body[at] === '"') {
      at++;
      let content = '';
      for (; at < body.length && body[at] !== '"'; at++) {
        if (body[at] === '\\') at++;
        content += body[at] ?? '';
      }
      at++;
      return jsonText(shape.element, content);
    }
    const start = at;
    while (at < body.length && body[at] !== shape.delimiter && body[at] !== '}') at++;
    const bare = body.slice(start, at);
    return jsonText(shape.element, bare === 'NULL' ? null : bare);
  };
  const list = (): string => {
    const items: string[] = [];
    at++;
    while (at < body.length && body[at] !== '}') {
      items.push(element());
      if (body[at] === shape.delimiter) at++;
    }
    at++;
    return `[${items.join(',')}]`;
  };
  if (body[0] === '{') parts.push(list());
  return parts[0] ?? JSON.stringify(text);
}

function compositeJson(shape: TypeShape & { kind: 'composite' }, text: string): string {
  const values = splitRow(text);
  const members = shape.attributes.map(
    ({ name, shape: attribute }, index) =>
      `${JSON.stringify(name)}:${jsonText(attribute, values[index] ?? null)}`,
  );
  return `{${members.join(',')}}`;
}

/** Splits a row such as `(1,"a ""b""",)` into fields. An empty field is null. */
function splitRow(text: string): (string | null)[] {
  const values: (string | null)[] = [];
  let at = 1;
  while (at < text.length) {
    let content = '';
    let quoted = false;
    let seen = false;
    for (; at < text.length; at++) {
      const char = text[at] as string;
      if (char === '\\') {
        content += text[++at] ?? '';
        seen = true;
      } else if (char === '"') {
        seen = true;
        if (quoted && text[at + 1] === '"') content += text[++at];
        else quoted = !quoted;
      } else if (!quoted && (char === ',' || char === ')')) break;
      else {
        content += char;
        seen = true;
      }
    }
    values.push(seen ? content : null);
    if (text[at] !== ',') break;
    at++;
  }
  return values;
}
