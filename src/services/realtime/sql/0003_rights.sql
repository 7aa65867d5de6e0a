-- The service's permission queries, each of which is a single call. They run as the caller, supabase_realtime_admin,
-- which inherits no privileges and switches to the role in the claims before policies are evaluated. The service calls
-- them in transactions that are rolled back.

set local role supabase_realtime_admin;

-- Returns the extensions of a private topic that a caller can read. Inserts probe rows as the table's owner and reads
-- them as the caller.
create function _plinth.realtime_read_rights(
  p_topic text, p_extensions text[], p_role text, p_sub text, p_claims text, p_headers text
) returns text[]
language plpgsql
as $$
declare
  probes uuid[];
  readable text[];
begin
  with made as (
    insert into realtime.messages (topic, extension)
    select p_topic, extension from unnest(p_extensions) as extension
    returning id
  )
  select array_agg(id) into probes from made;
  perform
    set_config('realtime.topic', p_topic, true),
    set_config('request.jwt.claims', p_claims, true),
    set_config('request.jwt.claim.sub', p_sub, true),
    set_config('request.jwt.claim.role', p_role, true),
    set_config('request.headers', p_headers, true);
  perform set_config('role', p_role, true);
  select array_agg(m.extension) into readable
  from realtime.messages m
  where m.id = any (probes) and m.inserted_at = now()::timestamp;
  return coalesce(readable, '{}');
end
$$;

-- Returns the extensions that a caller can write to. Finds out by inserting rows as the caller.
create function _plinth.realtime_write_rights(
  p_topic text, p_extensions text[], p_role text, p_sub text, p_claims text, p_headers text
) returns text[]
language plpgsql
as $$
declare
  writable text[] := '{}';
  extension text;
begin
  perform
    set_config('realtime.topic', p_topic, true),
    set_config('request.jwt.claims', p_claims, true),
    set_config('request.jwt.claim.sub', p_sub, true),
    set_config('request.jwt.claim.role', p_role, true),
    set_config('request.headers', p_headers, true);
  perform set_config('role', p_role, true);
  foreach extension in array p_extensions loop
    begin
      insert into realtime.messages (topic, extension) values (p_topic, extension);
      writable := writable || extension;
    exception when insufficient_privilege then
      null; -- that is the answer
    end;
  end loop;
  return writable;
end
$$;

-- Creates the function that determines which callers can see which rows of a table, and returns the function's name.
-- The function's parameters are an array of text values for each primary key column, followed by the claim sets (role,
-- sub, claims) sorted by role. For each claim set that can see any rows, it returns the row numbers.
-- 
-- Each claim set requires a separate statement, because `(select auth.uid())` in a policy is evaluated once per
-- statement. If a statement contained several claim sets, one user's rows would be visible to all of them. Static SQL
-- with a generic plan is planned once per role. The exception block isolates errors in one user's policies.
create function _plinth.realtime_make_visibility(p_table oid) returns text
language plpgsql
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
    select from pg_catalog.pg_proc where proname = name and pronamespace = '_plinth'::regnamespace
  ) then
    return name;
  end if;
  for stale in
    select p.oid::regprocedure::text from pg_catalog.pg_proc p
    where p.pronamespace = '_plinth'::regnamespace
      and p.proname like format('realtime\_visible\_%s\_%%', p_table)
  loop
    execute format('drop function %s', stale);
  end loop;
  execute format(
    'create function _plinth.%I(%s, p_roles text[], p_subs text[], p_claims text[]) '
    'returns table (claim_set int, row_numbers int[]) language plpgsql '
    'set plan_cache_mode = force_generic_plan as %L',
    name,
    (select string_agg(format('p_keys_%s text[]', i), ', ') from generate_series(1, cardinality(key_columns)) i),
    body
  );
  return name;
end
$make$;

revoke all on function
  _plinth.realtime_read_rights(text, text[], text, text, text, text),
  _plinth.realtime_write_rights(text, text[], text, text, text, text),
  _plinth.realtime_make_visibility(oid)
from public;
