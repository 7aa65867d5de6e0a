-- What the service asks the database about rights, each in one call. All of it runs with the rights of the caller,
-- supabase_realtime_admin, which inherits nothing and becomes the role of the claims before any policy is asked. The
-- service calls these in transactions that are rolled back.

set local role supabase_realtime_admin;

-- Which extensions of a private topic a caller may read: probe rows are made as the owner of the table, then looked at
-- as the caller.
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

-- Which extensions a caller may write: tried as the caller.
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

-- Makes the function that tells which rows of a table which callers may see, and returns its name. Parameters of the
-- made function: for each column of the primary key an array of values as text, then the claim sets (role, sub, claims),
-- sorted by role. It returns, for each claim set that sees anything, the numbers of the rows.
--
-- One statement for each claim set, never one for several: `(select auth.uid())` in a policy is evaluated once in a
-- statement, and with several claim sets in it one user's rows would be everybody's. Static SQL under a generic plan is
-- planned once a role. The exception block keeps one user's failing policy from harming the others.
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
