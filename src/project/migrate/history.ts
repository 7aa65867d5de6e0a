/** Prepares the table of applied migrations, whose rows are then migrated like the rows of every other table. */
import { sql } from '../../base/kernel/sql.ts';
import type { SharedTable } from './core/row-text.ts';
import type { End } from './types.ts';

const table = 'supabase_migrations.schema_migrations';

/** Creates the table on the target. Returns undefined if the source doesn't have a table of applied migrations. */
export async function prepareHistory(source: End, target: End): Promise<SharedTable | undefined> {
  const from = await readColumns(source);
  if (from.length === 0) return undefined;
  await target.session.exec(`
    create schema if not exists supabase_migrations;
    create table if not exists ${table} (version text not null primary key, statements text[], name text)`);
  const to = new Set(await readColumns(target));
  return {
    table,
    schema: 'supabase_migrations',
    name: 'schema_migrations',
    columns: from.filter((column) => to.has(column)),
    key: ['version'],
  };
}

async function readColumns({ session }: End): Promise<string[]> {
  const rows = await session.query<{ name: string }>(sql`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`);
  return rows.map(({ name }) => name);
}
