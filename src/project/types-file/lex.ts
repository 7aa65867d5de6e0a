/** Splits TypeScript into tokens. Supports only the syntax that generated types use. */

export interface TypeToken {
  readonly kind: 'name' | 'string' | 'number' | 'punctuation';
  /** The text of the token. If the token is a string, this text is the string's content. */
  readonly text: string;
  /** The line in the file, starting at 1. */
  readonly line: number;
}

const pattern =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|([A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*)|("(?:[^"\\\n]|\\[\s\S])*(?:"|$)|'(?:[^'\\\n]|\\[\s\S])*(?:'|$)|`(?:[^`\\]|\\[\s\S])*(?:`|$))|(\d[\w.]*)|(=>|\.\.\.|[^\s])|\s+/gy;

/**
 * Returns the tokens without comments and whitespace. Never fails, because any character that doesn't begin another
 * token is treated as punctuation.
 */
export function lexTypes(text: string): TypeToken[] {
  const tokens: TypeToken[] = [];
  let line = 1;
  for (const [whole, name, quoted, number, punctuation] of text.matchAll(pattern)) {
    if (name !== undefined) tokens.push({ kind: 'name', text: name, line });
    else if (quoted !== undefined) tokens.push({ kind: 'string', text: contentOf(quoted), line });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, line });
    else if (punctuation !== undefined) tokens.push({ kind: 'punctuation', text: punctuation, line });
    line += whole.split('\n').length - 1;
  }
  return tokens;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

function contentOf(quoted: string): string {
  const end = quoted.length > 1 && quoted.endsWith(quoted[0] as string) ? -1 : undefined;
  return quoted
    .slice(1, end)
    .replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|\n|([\s\S]))/gi, (_, ...groups) => {
      const [braced, four, two, plain] = groups as (string | undefined)[];
      const code = Number.parseInt(braced ?? four ?? two ?? '', 16);
      if (Number.isFinite(code)) return code <= 0x10ffff ? String.fromCodePoint(code) : '';
      return plain === undefined ? '' : (escapes[plain] ?? plain);
    });
}
