/**
 * Converts PostgreSQL's text of a value to the value that upstream's Management API sends as JSON (as node-postgres
 * parses it, with dates and times as text).
 */

const numbers = new Set(['smallint', 'integer', 'oid', 'real', 'double precision']);

/**
 * Returns the value of a cell.
 * @param type the type's name as `format_type` prints it, without modifiers
 *
 * @example jsonValue('{1,2}', 'integer[]'); // [1, 2]
 */
export function jsonValue(text: string | null, type: string): unknown {
  if (text === null) return null;
  if (type.endsWith('[]')) return arrayValue(text, type.slice(0, -2));
  if (numbers.has(type) || type === 'bigint') return numberOr(text);
  if (type === 'boolean') return text === 't';
  if (type === 'json' || type === 'jsonb') return JSON.parse(text) as unknown;
  return text;
}

/** Numbers that JavaScript can't represent exactly, and NaN and Infinity, remain text. */
function numberOr(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : text;
}

type Items = (string | null | Items)[];

function arrayValue(text: string, type: string): unknown {
  // An array whose lower bound isn't 1 begins with its bounds, for example `[0:1]={1,2}`.
  const start = text.indexOf('{');
  if (start < 0) return text;
  const convert = (item: Items[number]): unknown =>
    Array.isArray(item) ? item.map(convert) : jsonValue(item, type);
  return itemsOf(text, start).items.map(convert);
}

function itemsOf(text: string, start: number): { readonly items: Items; readonly end: number } {
  const items: Items = [];
  let at = start + 1;
  while (at < text.length && text[at] !== '}') {
    if (text[at] === ',') at++;
    if (text[at] === '{') {
      const inner = itemsOf(text, at);
      items.push(inner.items);
      at = inner.end;
    } else if (text[at] === '"') {
      let value = '';
      for (at++; at < text.length && text[at] !== '"'; at++) {
        if (text[at] === '\\') at++;
        value += text[at] ?? '';
      }
      items.push(value);
      at++;
    } else {
      const from = at;
      while (at < text.length && text[at] !== ',' && text[at] !== '}') at++;
      const word = text.slice(from, at);
      items.push(word === 'NULL' ? null : word);
    }
  }
  return { items, end: at + 1 };
}

/** Returns a parameter's value as PostgreSQL's text. Arrays become array literals, and objects become JSON. */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(itemText).join()}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function itemText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return `{${value.map(itemText).join()}}`;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
