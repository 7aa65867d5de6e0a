/**
 * Searches for the results of each group. All SQL statements have a time limit, and user input is passed only as
 * parameters.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { escapeLike } from '../../../base/shared/sql/escape-like.ts';
import type { Pool } from '../../../platform/database/types.ts';
import { may } from '../core/roles.ts';
import { matching } from '../users/filters.ts';
import type { SearchGroup, SearchHit } from './contract.ts';
import { bestOf, rankOf } from './core/rank.ts';
import { type Found, hitsPerGroup, limits, type SearchDeps, type SearchInput } from './input.ts';
import { findRows } from './rows.ts';
import { findSettings } from './settings.ts';

/**
 * The maximum number of files whose names are searched for the text at any position in the name. For all other files,
 * only the beginning of the name is compared with the text.
 */
const maxScannedFiles = 20_000;

type Finder = (deps: SearchDeps, input: SearchInput) => Promise<Found>;

const whole = (hits: readonly SearchHit[]): Found => ({ hits, isPartial: false });

const read = <Row extends object>(pool: Pool, signal: AbortSignal, statement: Sql): Promise<Row[]> =>
  pool.transaction((tx) => tx.query<Row>(statement), limits(signal));

/** Sorts names by how well they match the search, so that the LIMIT clause keeps the best matches. */
const order = (name: Sql, search: string): Sql =>
  sql`lower(${name}) <> ${search.toLowerCase()}, not starts_with(lower(${name}), ${search.toLowerCase()}),
    length(${name}), ${name}`;

const columns: Finder = async ({ database }, { search, signal }) => {
  const name = sql`a.attname::text`;
  const rows = await read<{ schema: string; table: string; name: string; type: string }>(
    database.pool('postgres'),
    signal,
    sql`select n.nspname as schema, c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where a.attnum > 0 and not a.attisdropped and a.attname ilike ${`%${escapeLike(search)}%`}
        and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
        and n.nspname not in ('_plinth', 'information_schema') and n.nspname not like 'pg\\_%'
      order by n.nspname <> 'public', ${order(name, search)}, c.relname limit ${hitsPerGroup}::int`,
  );
  return whole(
    rows.map(({ schema, table, name: column, type }) => ({
      title: column,
      detail: `${schema}.${table} · ${type}`,
      target: { to: '/tables/$schema/$table/structure', params: { schema, table } },
    })),
  );
};

const users: Finder = async ({ database }, { search, signal }) => {
  const rows = await read<{ id: string; email: string | null; phone: string | null; name: string | null }>(
    database.pool('postgres'),
    signal,
    sql`select u.id, u.email, u.phone,
        coalesce(u.raw_user_meta_data ->> 'full_name', u.raw_user_meta_data ->> 'name') as name
      from auth.users u where ${matching({ search } as Parameters<typeof matching>[0])}
      limit ${hitsPerGroup}::int`,
  );
  return whole(
    rows.map(({ id, email, phone, name }) => ({
      title: email || phone || id,
      detail: [name, email ? phone : '', id].filter(Boolean).join(' · '),
      target: { to: '/users', search: { id } },
    })),
  );
};

/**
 * An index is used to find all files whose names begin with the text. Only a limited number of file names is searched
 * for the text at other positions.
 */
const files: Finder = async ({ database }, { search, signal }) => {
  const pool = database.pool('postgres');
  const pattern = escapeLike(search);
  const buckets = await read<{ id: string }>(
    pool,
    signal,
    sql`select id from storage.buckets where id ilike ${`%${pattern}%`}
      order by ${order(sql`id`, search)} limit ${hitsPerGroup}::int`,
  );
  const objects = await read<{ bucket: string; name: string; count: number }>(
    pool,
    signal,
    sql`with beginnings as (
        select bucket_id as bucket, name from storage.objects
        where name like ${`${pattern}%`} limit ${hitsPerGroup}::int
      ), scanned as (select bucket_id as bucket, name from storage.objects limit ${maxScannedFiles}::int)
      select bucket, name, (select count(*) from scanned)::int as count from (
        select * from beginnings
        union (select * from scanned where name ilike ${`%${pattern}%`} limit ${hitsPerGroup}::int)
      ) f order by ${order(sql`regexp_replace(f.name, '^.*/', '')`, search)} limit ${hitsPerGroup}::int`,
  );
  const hits = [
    ...buckets.map(({ id }) => ({
      title: id,
      detail: '',
      target: { to: '/storage', search: { bucket: id } },
    })),
    ...objects.map(({ bucket, name }) => {
      const slash = name.lastIndexOf('/');
      const folder = slash < 0 ? {} : { folder: name.slice(0, slash + 1) };
      return {
        title: name.slice(slash + 1),
        detail: `${bucket}/${name.slice(0, slash + 1)}`,
        target: { to: '/storage', search: { bucket, ...folder, file: name } },
      };
    }),
  ];
  return { hits: hits.slice(0, hitsPerGroup), isPartial: (objects[0]?.count ?? 0) >= maxScannedFiles };
};

/** Searches edge functions and the database functions that the API exposes. */
const functions: Finder = async ({ database, functions: edge }, { search, signal }) => {
  const slugs = edge.list();
  const own = bestOf(slugs, (slug) => rankOf(search, slug), hitsPerGroup);
  const rows = await read<{ schema: string; name: string }>(
    database.pool('postgres'),
    signal,
    sql`select schema, name from (
        select distinct n.nspname::text as schema, p.proname::text as name
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where p.proname ilike ${`%${escapeLike(search)}%`} and p.prokind in ('f', 'p')
          and n.nspname not in ('_plinth', 'information_schema', 'extensions') and n.nspname not like 'pg\\_%'
          and not exists (select from pg_depend d
            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      ) f order by ${order(sql`name`, search)}, schema limit ${hitsPerGroup}::int`,
  );
  return whole([
    ...own.map((name) => ({
      title: name,
      detail: 'Edge Function',
      target: { to: '/functions', search: { name } },
    })),
    ...rows.map(({ schema, name }) => ({
      title: name,
      detail: `${schema} · SQL`,
      target: { to: '/reference', search: { schema, fn: name } },
    })),
  ]);
};

const jobs: Finder = async ({ database }, { search, role, signal }) => {
  const pool = database.pool('postgres');
  const [has] = await read<{ cron: boolean }>(
    pool,
    signal,
    sql`select to_regclass('cron.job') is not null as cron`,
  );
  if (has?.cron !== true) return whole([]);
  const pattern = `%${escapeLike(search)}%`;
  // Job commands can contain keys, so searching them requires the `secrets` permission.
  const rows = await read<{ id: string; name: string | null; schedule: string }>(
    pool,
    signal,
    sql`select jobid::text as id, jobname as name, schedule from cron.job
      where jobname ilike ${pattern} or (${may(role, 'secrets')}::boolean and command ilike ${pattern})
      order by ${order(sql`coalesce(jobname, '')`, search)} limit ${hitsPerGroup}::int`,
  );
  return whole(
    rows.map(({ id, name, schedule }) => ({
      title: name ?? id,
      detail: schedule,
      target: { to: '/jobs/cron', search: { id } },
    })),
  );
};

const settings: Finder = async (_deps, { search }) => whole(findSettings(search));

const requestId = /^[\w.:-]{8,200}$/;

const requests: Finder = async ({ logs }, { search }) => {
  if (!requestId.test(search)) return whole([]);
  const entries = await logs.trace(search);
  const first = entries.find(({ kind }) => kind === 'request') ?? entries[0];
  if (first === undefined) return whole([]);
  const { method, path, status, at } = first;
  return whole([
    {
      title: search,
      detail: [method, path, status, new Date(at).toISOString()]
        .filter((part) => part !== undefined)
        .join(' '),
      target: { to: '/logs', search: { requestId: search, open: search } },
    },
  ]);
};

const migrations: Finder = async ({ database }, { search, role, signal }) => {
  if (!may(role, 'secrets')) return whole([]);
  const pool = database.pool('postgres');
  const [has] = await read<{ table: boolean }>(
    pool,
    signal,
    sql`select to_regclass('supabase_migrations.schema_migrations') is not null as table`,
  );
  if (has?.table !== true) return whole([]);
  const pattern = `%${escapeLike(search)}%`;
  const rows = await read<{ version: string; name: string | null }>(
    pool,
    signal,
    sql`select version, name from supabase_migrations.schema_migrations
      where name ilike ${pattern} or version like ${`${escapeLike(search)}%`}
      order by version desc limit ${hitsPerGroup}::int`,
  );
  return whole(
    rows.map(({ version, name }) => ({
      title: name || version,
      detail: version,
      target: { to: '/migrations', search: { version } },
    })),
  );
};

const rows: Finder = ({ database }, input) => findRows(database, input);

/** The groups of search results, starting with the groups that don't require the database. */
export const finders: Readonly<Record<SearchGroup, Finder>> = {
  settings,
  requests,
  users,
  functions,
  columns,
  jobs,
  files,
  migrations,
  rows,
};
