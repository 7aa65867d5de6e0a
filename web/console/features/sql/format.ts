/** Formats SQL. This module contains a large library, so it is loaded when a query is first formatted. */
import { formatDialect, postgresql } from 'sql-formatter';

/**
 * Returns the text with other line breaks and indentation. Returns undefined if the library can't parse the text, or if
 * it would change anything but the space between words. The case of keywords stays as the operator wrote it.
 */
export function formatSql(text: string): string | undefined {
  try {
    const formatted = formatDialect(text, { dialect: postgresql, tabWidth: 2, expressionWidth: 80 });
    return tokensOf(formatted).join('\n') === tokensOf(text).join('\n') ? formatted : undefined;
  } catch {
    return undefined;
  }
}

/** Strings, names and comments as a whole, then operators, words and numbers, and single symbols. */
const token =
  /[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|::|:=|(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+|[\p{L}\p{N}_$]+|\S/gsu;

/**
 * PostgreSQL's rule for operators without space between them: an operator ends in `+` or `-` only if it also contains
 * one of these characters.
 */
const special = /[~!@#%^&|`?]/;

function tokensOf(text: string): string[] {
  return [...text.matchAll(token)].flatMap(([found]) => {
    if (found.startsWith('--')) return [found.trimEnd()];
    if (found.startsWith('/*')) return [found.replaceAll(/\s+/g, ' ')];
    if (!/^[-+*/<>=~!@#%^&|`?]{2,}$/.test(found) || special.test(found)) return [found];
    const signs = /[-+]+$/.exec(found)?.[0] ?? '';
    const rest = found.slice(0, found.length - signs.length);
    return [...(rest === '' ? [] : [rest]), ...signs];
  });
}
