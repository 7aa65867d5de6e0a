/** Builds parts of the text of statements. */
import { quoteLiteral } from '../../../base/kernel/sql.ts';

export const list = (items: readonly string[]): string => items.join(', ');

/** Returns the items in parentheses, with one item per line. */
export const lines = (items: readonly string[]): string =>
  items.length === 0 ? '()' : `(\n    ${items.join(',\n    ')}\n)`;

export const literal = quoteLiteral;

/** Returns PostgreSQL's `name=value` items as a list of options in the syntax of WITH (...). */
export function options(items: readonly string[]): string {
  return list(
    items.map((item) => {
      const at = item.indexOf('=');
      const name = item.slice(0, at);
      return `${name.split('.').map(quoteIfNeeded).join('.')}=${literal(item.slice(at + 1))}`;
    }),
  );
}

/** Returns the options of foreign objects, such as `OPTIONS (host 'db', port '5432')`. */
export function foreignOptions(items: readonly string[] | null): string {
  if (items === null || items.length === 0) return '';
  const rendered = items.map((item) => {
    const at = item.indexOf('=');
    return `${quoteIfNeeded(item.slice(0, at))} ${literal(item.slice(at + 1))}`;
  });
  return ` OPTIONS (${list(rendered)})`;
}

/** Quotes a name unless it consists of lowercase letters, digits and underscores. */
export function quoteIfNeeded(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
