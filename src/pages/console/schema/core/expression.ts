/**
 * Checks that SQL text from an operator is a single expression. When such text is enclosed in parentheses, it can't end
 * the statement around it, begin another statement, or comment anything out. PostgreSQL checks everything else about
 * the expression.
 */

/**
 * Returns the reason why a string isn't a single SQL expression. Returns undefined if the string can safely be enclosed
 * in parentheses.
 */
export function expressionFault(text: string): string | undefined {
  if (text.trim() === '') return 'is empty';
  if (text.includes('\0')) return 'contains a null byte';
  const closers: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const quoted = quotedEnd(text, at);
    if (quoted === undefined) return 'has a quote that is never closed';
    if (quoted > at) {
      at = quoted - 1;
      continue;
    }
    if (text.startsWith('--', at) || text.startsWith('/*', at)) return 'contains a comment';
    if (char === ';') return 'contains a semicolon';
    if (char === '(' || char === '[') closers.push(char === '(' ? ')' : ']');
    else if ((char === ')' || char === ']') && closers.pop() !== char)
      return `has a ${char} without an opening one`;
  }
  return closers.length > 0 ? `is missing a ${closers.at(-1)}` : undefined;
}

/** Matches text whose last character belongs to an unquoted name. */
const nameEnd = /[\w$\u0080-\uffff]$/;

/**
 * Returns the position after the quoted part that begins at `at`. Returns `at` if no quoted part begins there, and
 * undefined if the quoted part isn't closed.
 */
function quotedEnd(text: string, at: number): number | undefined {
  const char = text[at];
  const before = text.slice(0, at);
  if (char === '"') return closing(text, at + 1, '"');
  if (char === "'") {
    const escapes = /[eE]$/.test(before) && !nameEnd.test(before.slice(0, -1));
    return escapes ? escapedEnd(text, at + 1) : closing(text, at + 1, "'");
  }
  if (char !== '$' || nameEnd.test(before)) return at;
  const tag = /^\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/.exec(text.slice(at))?.[0];
  if (tag === undefined) return at;
  const end = text.indexOf(tag, at + tag.length);
  return end < 0 ? undefined : end + tag.length;
}

/**
 * Returns the position after the closing quotation mark. A quotation mark within the text is doubled. If `escapes` is
 * set, a backslash escapes the next character.
 */
function closing(text: string, from: number, quote: string, escapes = false): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (escapes && text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return undefined;
}

/**
 * Returns the position after a string of the form `E'…'`. After a line break, the string can be continued by another
 * `'…'`, in which backslashes are also escape characters (PostgreSQL manual, 4.1.2.2).
 */
function escapedEnd(text: string, from: number): number | undefined {
  const end = closing(text, from, "'", true);
  const more = end === undefined ? null : /^\s*[\r\n]\s*'/.exec(text.slice(end));
  return end === undefined || more === null ? end : escapedEnd(text, end + more[0].length);
}
