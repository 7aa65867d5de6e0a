/**
 * Creates traps, which are objects with code that a project's SQL can create as `postgres`: functions, operators,
 * triggers, policies, defaults, constraints, indexes and child tables. When a trap runs, it records the run in a
 * sequence, which isn't rolled back. The trap also records whether a superuser ran it, either as the current role or as
 * the session role to which `reset role` returns.
 */

import { sql } from '../../src/base/kernel/sql.ts';
import type { Queryable } from '../../src/platform/database/types.ts';

const notes = `
  create schema seen;
  grant usage on schema seen to public;
  create table seen.plants (id int generated always as identity primary key, name text not null unique);
  create function seen.plant(plant text) returns int language plpgsql set search_path = pg_catalog as $$
  declare
    id int;
  begin
    insert into seen.plants (name) values (plant)
      on conflict (name) do update set name = excluded.name returning plants.id into id;
    execute format('create sequence if not exists seen.super_%s; create sequence if not exists seen.other_%s', id, id);
    execute format('grant usage on seen.super_%s, seen.other_%s to public', id, id);
    return id;
  end $$;
  create function seen.note(id int) returns boolean language plpgsql set search_path = pg_catalog as $$
  declare
    is_super constant boolean := exists (select from pg_roles where rolsuper and rolname in (current_user, session_user));
    is_client constant boolean := exists (
      select from pg_stat_get_activity(pg_backend_pid()) a where a.backend_type = 'client backend');
  begin
    -- Workers of PostgreSQL itself are superusers and evaluate expressions of a table as its owner, confined to that.
    if is_client then
      perform nextval(format('seen.%s_%s', case when is_super then 'super' else 'other' end, id));
    end if;
    return true;
  end $$;
  -- Folded by the planner: an index on it runs during planning.
  create function seen.constant(id int) returns int language plpgsql immutable as $$
    begin perform seen.note(id); return 1; end $$;
  create function seen.trap() returns trigger language plpgsql as $$
    begin perform seen.note(tg_argv[0]::int); return coalesce(new, old); end $$;
  grant execute on all functions in schema seen to public;
`;

/**
 * Functions and operators with the same names as PostgreSQL's own. The traps accept types that PostgreSQL's own
 * functions accept only after a conversion, because an exact match takes precedence.
 */
const shadows = `
do $plant$
declare
  found record;
  swap record;
  types text[];
  id int;
begin
  for found in
    select p.oid, p.proname, array(select t::regtype::text from unnest(p.proargtypes) with ordinality a (t, n) order by n) as types,
      p.prorettype::regtype::text as result
    from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f' and not p.proretset and p.provariadic = 0
      and p.prorettype::regtype::text !~ '^(any|internal|cstring|trigger|void|language|.*handler|record)'
      and cardinality(p.proargtypes) between 1 and 4
      and exists (select from unnest(p.proargtypes) t where t::regtype::text in ('text', 'bigint', 'double precision', 'numeric'))
      and not exists (select from unnest(p.proargtypes) t where t::regtype::text ~ '^(any|internal|cstring)')
  loop
    for swap in select * from (values ('text', 'character varying'), ('text', 'name'), ('bigint', 'integer'),
      ('double precision', 'integer'), ('numeric', 'integer')) s (from_type, to_type)
    loop
      if not swap.from_type = any (found.types) then continue; end if;
      types := array_replace(found.types, swap.from_type, swap.to_type);
      begin
        id := seen.plant('function ' || found.proname);
        execute format('create function public.%I(%s) returns %s language plpgsql strict as %L', found.proname,
          array_to_string(types, ', '), found.result,
          format('begin perform seen.note(%s); return pg_catalog.%I(%s); end', id, found.proname,
            (select string_agg(format('$%s::%s', n, t), ', ' order by n) from unnest(found.types) with ordinality a (t, n))));
      exception when duplicate_function or invalid_function_definition or feature_not_supported then null;
      end;
    end loop;
  end loop;
  for found in
    select o.oprname, (select p.proname from pg_catalog.pg_proc p where p.oid = o.oprcode) as code, o.oprresult::regtype::text as result from pg_catalog.pg_operator o
    where o.oprleft = 'text'::regtype and o.oprright = 'text'::regtype
  loop
    for swap in select l, r from unnest(array['text', 'character varying', 'name']) l, unnest(array['text', 'character varying', 'name']) r
      where (l, r) <> ('text', 'text')
    loop
      id := seen.plant('operator ' || found.oprname);
      begin
        execute format('create function seen.%I(%s, %s) returns %s language plpgsql strict as %L', 'op_' || id, swap.l, swap.r, found.result,
          format('begin perform seen.note(%s); return pg_catalog.%I($1::text, $2::text); end', id, found.code));
        execute format('grant execute on function seen.%I(%s, %s) to public', 'op_' || id, swap.l, swap.r);
        execute format('create operator public.%s (function = seen.%I, leftarg = %s, rightarg = %s)', found.oprname, 'op_' || id, swap.l, swap.r);
      exception when duplicate_function then null;
      end;
    end loop;
  end loop;
end
$plant$;
`;

/**
 * Code that PostgreSQL runs when a query reads, writes or plans to use a table. The code is attached to every table of
 * Plinth for which `postgres` has the necessary privileges.
 */
const onTables = `
do $plant$
declare
  found record;
  attempt text;
  id int;
begin
  for found in
    select n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as target
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema', 'seen', 'public')
  loop
    id := seen.plant(found.target);
    foreach attempt in array array[
      'create trigger planted before insert or update or delete on %1$s for each row execute function seen.trap(%2$s)',
      'create trigger planted_after after insert or update or delete on %1$s for each statement execute function seen.trap(%2$s)',
      'alter table %1$s enable always trigger planted',
      'create policy planted on %1$s as permissive for all to public using (seen.note(%2$s)) with check (seen.note(%2$s))',
      'alter table %1$s add constraint planted check (seen.note(%2$s))',
      'create index on %1$s (seen.constant(%2$s))',
      'create index on %1$s ((1)) where seen.constant(%2$s) = 1',
      'alter table %1$s add column planted int default seen.constant(%2$s)',
      'create table seen.%3$I () inherits (%1$s)',
      'create index on seen.%3$I (seen.constant(%2$s))',
      'create rule planted as on delete to seen.%3$I do also select seen.note(%2$s)'
    ] loop
      begin
        execute format(attempt, found.target, id, 'child_' || id);
      exception when insufficient_privilege or wrong_object_type or undefined_table or feature_not_supported
        or invalid_table_definition or undefined_object then null;
      end;
    end loop;
  end loop;
end
$plant$;
`;

/** Creates the objects that the traps call. */
export const plantNotes = (db: Queryable): Promise<void> => db.exec(notes);

/** Creates all traps. */
export async function plant(db: Queryable): Promise<void> {
  for (const text of [notes, shadows, onTables]) await db.exec(text);
}

/** Returns the names of the traps that ran, by role. */
export async function sightings(db: Queryable): Promise<{ superuser: string[]; others: string[] }> {
  const plants = await db.query<{ id: number; name: string }>(
    sql`select id, name from seen.plants order by name`,
  );
  const called = await db.query<{ name: string }>(
    sql`select sequencename::text as name from pg_catalog.pg_sequences where schemaname = 'seen' and last_value is not null`,
  );
  const names = new Set(called.map(({ name }) => name));
  const of = (who: string): string[] =>
    plants.filter(({ id }) => names.has(`${who}_${id}`)).map(({ name }) => name);
  return { superuser: of('super'), others: of('other') };
}
