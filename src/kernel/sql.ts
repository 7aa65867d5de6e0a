/**
 * The `sql` tag: statements whose values are always parameters and whose fragments can be nested.
 *
 * @example
 * const filter = sql`owner = ${userId}`;
 * await pool.query(sql`select * from ${sql.id('public', 'todos')} where ${filter}`);
 */

/** A value that is sent in text format. The server's parameter type determines how it is parsed. */
export type SqlValue = string | number | bigint | boolean | null | undefined | Uint8Array | Date | object;

type Part = { kind: 'text'; text: string } | { kind: 'value'; value: SqlValue };

/** A statement or fragment. Immutable. Compile it with {@link Sql.compile}. */
export class Sql {
  readonly parts: readonly Part[];
  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  /** Returns the text with `$1…` and its values in order. */
  compile(): { text: string; values: SqlValue[] } {
    let text = '';
    const values: SqlValue[] = [];
    for (const part of this.parts) {
      if (part.kind === 'text') text += part.text;
      else text += `$${values.push(part.value)}`;
    }
    return { text, values };
  }
}

function tag(strings: TemplateStringsArray, ...inserts: SqlValue[]): Sql {
  const parts: Part[] = [];
  strings.forEach((text, index) => {
    if (text !== '') parts.push({ kind: 'text', text });
    if (index >= inserts.length) return;
    const insert = inserts[index];
    if (insert instanceof Sql) parts.push(...insert.parts);
    else parts.push({ kind: 'value', value: insert });
  });
  return new Sql(parts);
}

/** Quotes an identifier for PostgreSQL. The result is always in double quotes, with inner quotes doubled. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}

/** Quotes a string literal, with `E''` if it contains a backslash (PostgreSQL's quote_literal). */
export function quoteLiteral(value: string): string {
  const doubled = value.replaceAll('\0', '').replaceAll("'", "''");
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

export const sql = Object.assign(tag, {
  /** A qualified or unqualified identifier: `sql.id('auth', 'users')` is `"auth"."users"`. */
  id: (...names: string[]): Sql => new Sql([{ kind: 'text', text: names.map(quoteIdentifier).join('.') }]),
  /** Inserts SQL text unchanged. Never pass anything from a client. */
  raw: (text: string): Sql => new Sql([{ kind: 'text', text }]),
  /** Joins fragments with a separator, which defaults to `, `. */
  join: (items: readonly (Sql | SqlValue)[], separator = ', '): Sql => {
    const parts: Part[] = [];
    items.forEach((item, index) => {
      if (index > 0) parts.push({ kind: 'text', text: separator });
      if (item instanceof Sql) parts.push(...item.parts);
      else parts.push({ kind: 'value', value: item });
    });
    return new Sql(parts);
  },
  empty: new Sql([]),
});
