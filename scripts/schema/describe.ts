/**
 * Describes everything that Plinth's SQL files create in a database, so that two descriptions can be compared. A
 * description contains no OIDs, times or other values that differ between two databases with the same schema. It
 * excludes the objects that belong to extensions.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Queryable } from '../../src/platform/database/types.ts';

/** A fact from the catalogs, such as a column's type or a row of a table. */
export interface Fact {
  /** The object that the fact belongs to, such as the column's table. */
  readonly object: string;
  readonly subject: string;
  readonly definition: string;
}

const facts = sql.raw(readFileSync(new URL('facts.sql', import.meta.url), 'utf8'));

/** Lists the tables, and their columns whose values are the same in every database. */
const tables = sql`
  select c.oid::regclass::text as name, array_agg(quote_ident(a.attname) || '::text' order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
    and c.oid not in ('_plinth.migrations'::regclass, '_plinth.guarded'::regclass)
    and a.atttypid not in ('timestamptz'::regtype, 'timestamp'::regtype, 'bytea'::regtype)
    and not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  group by c.oid`;

/** Returns the facts in a fixed order. The session must belong to a superuser. */
export async function describeSchema(session: Queryable): Promise<Fact[]> {
  await session.exec("set search_path = pg_catalog, pg_temp; set datestyle = iso; set timezone = 'UTC'");
  const catalog = await session.query<{ object: string; subject: string; definition: string | null }>(
    sql`select object, subject, definition from (${facts}) as facts where extension is null`,
  );
  const described = catalog.map((fact): Fact => ({ ...fact, definition: fact.definition ?? '' }));
  for (const { name, columns } of await session.query<{ name: string; columns: string[] }>(tables)) {
    const { rows } = await session.queryText(
      sql`select ${sql.raw(columns.join(', '))} from ${sql.raw(name)}`,
    );
    for (const row of rows) {
      const definition = row.map((value) => value ?? 'null').join(' | ');
      described.push({ object: `relation ${name}`, subject: 'row', definition });
    }
  }
  const keyOf = ({ object, subject, definition }: Fact): string => `${object}\n${subject}\n${definition}`;
  return described.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Returns a hash of the facts of each object, by the object's name. */
export function hashesOf(described: readonly Fact[]): Map<string, string> {
  const byObject = Map.groupBy(described, ({ object }) => object);
  return new Map(
    [...byObject].map(([object, facts]) => {
      const hash = createHash('sha256');
      for (const { subject, definition } of facts) hash.update(`${subject}\n${definition}\n`);
      return [object, hash.digest('hex').slice(0, 16)];
    }),
  );
}
