-- Functions set their search path, as the hosted service's advisors require. Policies and filters are still evaluated
-- with the path of supabase_realtime_admin.
alter function _plinth.realtime_read_rights(text, text[], text, text, text, text) set search_path = realtime, pg_temp;
alter function _plinth.realtime_write_rights(text, text[], text, text, text, text) set search_path = realtime, pg_temp;
alter function _plinth.realtime_check_conditions(text[], text[], text[], text[], boolean[])
  set search_path = realtime, pg_temp;
alter function _plinth.realtime_keep_partitions() set search_path = pg_catalog, pg_temp;

create or replace function _plinth.realtime_make_visibility(p_table oid) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $make$
declare
  key_columns text[];
  key_types text[];
  body text;
  name text;
  stale text;
begin
  select array_agg(a.attname order by k.position), array_agg(format_type(a.atttypid, -1) order by k.position)
  into key_columns, key_types
  from pg_catalog.pg_constraint c
  cross join lateral unnest(c.conkey) with ordinality as k (attnum, position)
  join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
  where c.conrelid = p_table and c.contype = 'p';
  if key_columns is null then
    return null;
  end if;

  if cardinality(key_columns) = 1 then
    body := format(
      'select array_agg(array_position(keys_1, t.%1$I)) into seen from %2$s t where t.%1$I = any (keys_1);',
      key_columns[1], p_table::regclass
    );
  else
    body := format(
      'select array_agg(k.number) into seen from %s t join unnest(%s) with ordinality as k (%s, number) on %s;',
      p_table::regclass,
      (select string_agg(format('keys_%s', i), ', ') from generate_series(1, cardinality(key_columns)) i),
      (select string_agg(format('key_%s', i), ', ') from generate_series(1, cardinality(key_columns)) i),
      (select string_agg(format('t.%I = k.key_%s', key_columns[i], i), ' and ')
       from generate_series(1, cardinality(key_columns)) i)
    );
  end if;
  body := format(
    $body$
    #variable_conflict use_variable
    declare
      %s
      assumed text;
      seen int[];
    begin
      for i in 1 .. cardinality(p_claims) loop
        begin
          if assumed is distinct from p_roles[i] then
            perform set_config('role', p_roles[i], true), set_config('request.jwt.claim.role', p_roles[i], true);
            assumed := p_roles[i];
          end if;
          perform
            set_config('request.jwt.claim.sub', p_subs[i], true),
            set_config('request.jwt.claims', p_claims[i], true);
          %s
          if seen is not null then
            claim_set := i;
            row_numbers := seen;
            return next;
          end if;
        exception when others then
          assumed := null; -- the role went back with the failed block
        end;
      end loop;
    end
    $body$,
    (select string_agg(format('keys_%1$s %2$s[] := p_keys_%1$s::%2$s[];', i, key_types[i]), ' ')
     from generate_series(1, cardinality(key_types)) i),
    body
  );
  name := format('realtime_visible_%s_%s', p_table, left(md5(body), 8));

  perform pg_advisory_xact_lock(hashtext('_plinth.realtime_make_visibility'));
  if exists (
    select from pg_catalog.pg_proc where proname = name and pronamespace = '_realtime'::regnamespace
  ) then
    return name;
  end if;
  for stale in
    select p.oid::regprocedure::text from pg_catalog.pg_proc p
    where p.pronamespace = '_realtime'::regnamespace
      and p.proname like format('realtime\_visible\_%s\_%%', p_table)
  loop
    execute format('drop function %s', stale);
  end loop;
  execute format(
    'create function _realtime.%I(%s, p_roles text[], p_subs text[], p_claims text[]) '
    'returns table (claim_set int, row_numbers int[]) language plpgsql '
    'set search_path = realtime, pg_temp set plan_cache_mode = force_generic_plan as %L',
    name,
    (select string_agg(format('p_keys_%s text[]', i), ', ') from generate_series(1, cardinality(key_columns)) i),
    body
  );
  return name;
end
$make$;

do $$
declare
  generated record;
begin
  for generated in
    select p.oid::regprocedure::text as name from pg_catalog.pg_proc p
    where p.pronamespace = '_realtime'::regnamespace and p.proname ~ '^realtime_visible_\d'
  loop
    execute format('drop function %s', generated.name);
  end loop;
end
$$;
