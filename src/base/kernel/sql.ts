/**
 * Defines the `sql` tag, which builds statements. Values always become parameters, and fragments can be nested.
 *
 * @example
 * const filter = sql`owner = ${userId}`;
 * await pool.query(sql`select * from ${sql.id('public', 'todos')} where ${filter}`);
 */

/** A value that is sent in text format. The parameter's type on the server determines how the value is parsed. */
export type SqlValue = string | number | bigint | boolean | null | undefined | Uint8Array | Date | object;

type Part = { kind: 'text'; text: string } | { kind: 'value'; value: SqlValue };

/** An immutable statement or fragment. {@link Sql.compile} converts it to text and values. */
export class Sql {
  readonly parts: readonly Part[];
  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  /** Returns the statement text with numbered parameters (`$1…`), and the parameter values in the same order. */
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

/**
 * Quotes an identifier for PostgreSQL. The identifier is always enclosed in double quotes, and any double quotes inside
 * it are doubled.
 */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}

/** Quotes a string literal like PostgreSQL's quote_literal. Uses the form `E''` if the string contains a backslash. */
export function quoteLiteral(value: string): string {
  const doubled = value.replaceAll('\0', '').replaceAll("'", "''");
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

export const sql = Object.assign(tag, {
  /**
   * Quotes an identifier, and optionally the names that qualify it. For example, `sql.id('auth', 'users')` is
   * `"auth"."users"`.
   */
  id: (...names: string[]): Sql => new Sql([{ kind: 'text', text: names.map(quoteIdentifier).join('.') }]),
  /** Inserts SQL text unchanged. Never pass text from a client to this function. */
  raw: (text: string): Sql => new Sql([{ kind: 'text', text }]),
  /** Joins fragments with a separator. The default separator is `, `. */
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
