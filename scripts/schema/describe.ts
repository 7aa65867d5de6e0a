/**
 * Describes everything that Plinth's SQL files create in a database. The description has one entry per fact in the
 * catalogs and per row of Plinth's tables, so that two descriptions can be compared line by line. It contains no OIDs,
 * times or other values that differ between two databases with the same schema.
 */
import { readFileSync } from 'node:fs';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Queryable } from '../../src/platform/database/types.ts';

export interface Fact {
  readonly subject: string;
  /** The definition, which can have several lines. */
  readonly definition: string;
  /** The extension that the subject belongs to. */
  readonly extension: string | null;
}

const facts = readFileSync(new URL('facts.sql', import.meta.url), 'utf8');

/** Lists the tables that can have rows, and their columns whose values are the same in every database. */
const tables = sql`
  select c.oid::regclass::text as name, m.extname::text as extension,
    array_agg(quote_ident(a.attname) || '::text' order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
  left join pg_extension m on m.oid = d.refobjid
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
    and c.oid not in ('_plinth.migrations'::regclass, '_plinth.guarded'::regclass)
    and a.atttypid not in ('timestamptz'::regtype, 'timestamp'::regtype, 'bytea'::regtype)
  group by c.oid, m.extname`;

/** Returns the description in a fixed order. The session must belong to a superuser. */
export async function describeSchema(session: Queryable): Promise<Fact[]> {
  await session.exec("set search_path = pg_catalog, pg_temp; set datestyle = iso; set timezone = 'UTC'");
  const found = await session.query<{ subject: string; definition: string | null; extension: string | null }>(
    sql.raw(facts),
  );
  const described = found.map((fact): Fact => ({ ...fact, definition: fact.definition ?? '' }));
  for (const { name, columns, extension } of await session.query<{
    name: string;
    columns: string[];
    extension: string | null;
  }>(tables)) {
    const { rows } = await session.queryText(
      sql`select ${sql.raw(columns.join(', '))} from ${sql.raw(name)}`,
    );
    for (const row of rows) {
      const definition = row.map((value) => value ?? 'null').join(' | ');
      described.push({ subject: `row of ${name}`, definition, extension });
    }
  }
  return described.sort((a, b) => compare(a.subject, b.subject) || compare(a.definition, b.definition));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
