/**
 * Stores the identity of the source in a marker on the target. If a later run has the same source, it can continue. A
 * run with another source is rejected because it would delete the first project's rows. The marker doesn't record
 * progress.
 */

import { sql } from '../../base/kernel/sql.ts';
import type { ProjectPlan } from '../../operations/dump/index.ts';
import type { CopySession } from '../../platform/database/index.ts';
import { MigrateError } from './errors.ts';
import { readFilled, readTablesWith } from './queries.ts';
import type { End } from './types.ts';

const table = 'plinth_migrate.sources';

/** Returns text that identifies the server and the database. The text is the same for direct and pooled connections. */
async function identityOf({ query }: CopySession): Promise<string> {
  const [row] = await query<{ may: boolean; database: string }>(sql`
    select has_function_privilege('pg_control_system()', 'execute') as may, current_database()::text as database`);
  if (row?.may !== true) return `/${row?.database}`;
  const [system] = await query<{ id: string }>(
    sql`select system_identifier::text as id from pg_control_system()`,
  );
  return `${system?.id}/${row.database}`;
}

/** Returns whether an earlier run migrated data from this source. @throws {MigrateError} target_not_empty */
export async function rejectForeignRows(
  source: End,
  target: End,
  plans: { readonly source: ProjectPlan; readonly target: ProjectPlan },
  overwrite: boolean,
): Promise<boolean> {
  const isMarked = await hasMark(target.session, await identityOf(source.session));
  if (isMarked || overwrite) return isMarked;
  const wanted = new Set(plans.source.tables.map((each) => each.table));
  const readable = await readTablesWith(target.session, ['select']);
  const tables = plans.target.tables
    .filter(({ schema, name }) =>
      schema === 'auth'
        ? name === 'users'
        : schema === 'storage'
          ? name === 'objects'
          : schema !== 'supabase_functions',
    )
    .map((each) => each.table)
    .filter((each) => wanted.has(each) && readable.has(each));
  const filled = await readFilled(target.session, tables);
  if (filled.size > 0)
    throw new MigrateError('target_not_empty', { tables: [...filled].slice(0, 10).join(', ') });
  return false;
}

async function hasMark({ query }: CopySession, source: string): Promise<boolean> {
  const [found] = await query<{ exists: boolean }>(sql`select to_regclass(${table}) is not null as exists`);
  if (found?.exists !== true) return false;
  const rows = await query(sql`select from plinth_migrate.sources where source = ${source}`);
  return rows.length > 0;
}

export async function markTarget(source: End, { session }: End): Promise<void> {
  const identity = await identityOf(source.session);
  await session.exec(`
    create schema if not exists plinth_migrate;
    create table if not exists ${table} (source text primary key, started_at timestamptz not null default now());
    alter table ${table} enable row level security`);
  await session.query(
    sql`insert into plinth_migrate.sources (source) values (${identity}) on conflict (source) do nothing`,
  );
}
