-- Keys of all types are found. `keys` contains the values of the key's columns in the table's column order, in the format
-- of their types' output functions. A column of one of PostgreSQL's types, or of a domain over such a type, is compared
-- with the type's own operator, so that an index can be used. All other columns, such as arrays, composite types and
-- types of projects and extensions, are compared as text, because arrays of arrays don't exist, and because neither this
-- role nor a subscriber's role needs USAGE on the schema of a column's type. `format` calls the output function.
--
-- Equal values can have different texts, such as 1.0 and 1.00. If an update replaces one with the other, the batch
-- contains both, and both identify the row. Searching all positions takes longer, so it is limited to such types.
create or replace function _plinth.realtime_make_visibility(p_table oid) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $make$
declare
  key_columns text[];
  key_types text[];
  key_values text[];
  has_one_text boolean;
  body text;
  name text;
  stale text;
begin
  with recursive bases as (
    select a.attnum, a.attname, a.atttypid as type, a.attcollation as collation
    from pg_catalog.pg_constraint c
    join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    where c.conrelid = p_table and c.contype = 'p'
    union all
    select b.attnum, b.attname, t.typbasetype, b.collation
    from bases b join pg_catalog.pg_type t on t.oid = b.type and t.typtype = 'd'
  ),
  columns as (
    select b.attnum, b.attname, coalesce(l.collisdeterministic, true) as deterministic,
      case when t.typnamespace = 'pg_catalog'::regnamespace and t.typarray <> 0 then format_type(t.oid, -1) end as type
    from bases b
    join pg_catalog.pg_type t on t.oid = b.type and t.typtype <> 'd'
    left join pg_catalog.pg_collation l on l.oid = b.collation
  )
  select array_agg(attname order by attnum), array_agg(coalesce(type, 'text') order by attnum),
    array_agg(
      case when type is null then format('format(''%%s'', t.%I)', attname) else format('t.%I::%s', attname, type) end
      order by attnum
    ),
    bool_and(type is null or deterministic and type in (
      'smallint', 'integer', 'bigint', 'oid', 'uuid', 'text', 'character varying', 'bytea', 'date',
      'timestamp without time zone', 'timestamp with time zone'
    ))
  into key_columns, key_types, key_values, has_one_text
  from columns;
  if key_columns is null then
    return null;
  end if;

  if cardinality(key_columns) = 1 and has_one_text then
    body := format(
      'select array_agg(array_position(keys_1, %1$s)) into seen from %2$s t where %1$s = any (keys_1);',
      key_values[1], p_table::regclass
    );
  elsif cardinality(key_columns) = 1 then
    body := format(
      'select array_agg(k.number) into seen from %2$s t '
      'cross join lateral unnest(array_positions(keys_1, %1$s)) as k (number) where %1$s = any (keys_1);',
      key_values[1], p_table::regclass
    );
  else
    body := format(
      'select array_agg(k.number) into seen from %s t join unnest(%s) with ordinality as k (%s, number) on %s;',
      p_table::regclass,
      (select string_agg(format('keys_%s', i), ', ') from generate_series(1, cardinality(key_columns)) i),
      (select string_agg(format('key_%s', i), ', ') from generate_series(1, cardinality(key_columns)) i),
      (select string_agg(format('%s = k.key_%s', key_values[i], i), ' and ')
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
