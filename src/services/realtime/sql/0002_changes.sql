-- Changes of tables (postgres_changes): subscriptions, their filters, and the functions that determine which callers
-- can see which rows. Names, columns and behavior of the realtime schema are those of realtime, August 2026.

-- The service's role owns the functions in this file. It needs CREATE on the schema only to create them.
grant create on schema _plinth to supabase_realtime_admin;
set local role supabase_realtime_admin;

create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');
create type realtime.equality_op as enum (
  'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct'
);
create type realtime.user_defined_filter as (
  column_name text, op realtime.equality_op, value text, negate boolean
);
create type realtime.wal_column as (
  name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean
);
create type realtime.wal_rls as (wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]);

create function realtime.to_regrole(role_name text) returns regrole
language sql immutable
as $$ select role_name::regrole $$;

create table realtime.subscription (
  id bigint generated always as identity primary key,
  subscription_id uuid not null,
  entity regclass not null,
  filters realtime.user_defined_filter[] not null default '{}',
  claims jsonb not null,
  claims_role regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
  created_at timestamp without time zone not null default timezone('utc', now()),
  action_filter text default '*' check (action_filter in ('*', 'INSERT', 'UPDATE', 'DELETE')),
  selected_columns text[]
);
create index ix_realtime_subscription_entity on realtime.subscription (entity);
grant select on realtime.subscription to anon, authenticated, service_role;
grant all on realtime.subscription to postgres, dashboard_user;
-- A role that can insert subscriptions can also use their sequence, as on the hosted service.
grant all on sequence realtime.subscription_id_seq to postgres, dashboard_user;
grant usage on sequence realtime.subscription_id_seq to anon, authenticated, service_role;

-- Filters are validated on subscription, and evaluated in PostgreSQL if required (collations, numbers with a scale,
-- timestamps, patterns).

-- Returns whether a value satisfies a condition, using the comparison of the column's type. The search path includes
-- the schemas that contain the operators of extension types such as citext.
create function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean
) returns boolean
language plpgsql stable
set search_path = pg_catalog, extensions, public
as $$
declare
  typ text := format_type(type_, -1);
  result boolean;
begin
  if op = 'is' then
    if val_2 not in ('null', 'true', 'false', 'unknown') then
      raise exception 'invalid value for is filter: must be null, true, false, or unknown';
    end if;
    execute format('select $1::%s is %s %s', typ, case when negate then 'not' else '' end, val_2)
      using val_1 into result;
    return result;
  end if;
  if op = 'isdistinct' then
    execute format('select $1::%1$s is %2$s distinct from $2::%1$s', typ, case when negate then 'not' else '' end)
      using val_1, val_2 into result;
    return result;
  end if;
  execute format(
    case op
      when 'eq' then 'select $1::%1$s = $2::%1$s'
      when 'neq' then 'select $1::%1$s <> $2::%1$s'
      when 'lt' then 'select $1::%1$s < $2::%1$s'
      when 'lte' then 'select $1::%1$s <= $2::%1$s'
      when 'gt' then 'select $1::%1$s > $2::%1$s'
      when 'gte' then 'select $1::%1$s >= $2::%1$s'
      when 'in' then 'select $1::%1$s = any ($2::%1$s[])'
      when 'like' then 'select $1::%1$s like $2::%1$s'
      when 'ilike' then 'select $1::%1$s ilike $2::%1$s'
      when 'match' then 'select $1::%1$s ~ $2::%1$s'
      when 'imatch' then 'select $1::%1$s ~* $2::%1$s'
    end,
    typ
  ) using val_1, val_2 into result;
  return result <> coalesce(negate, false);
end
$$;

create function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text
) returns boolean
language sql stable
as $$ select realtime.check_equality_op(op, type_, val_1, val_2, false) $$;

-- A type can be named only with USAGE on its schema, which this role doesn't have on a project's schemas. The functions
-- that convert and compare values therefore assume a role that can name the type. Clients use these roles, so a
-- subscriber that can read a table can usually also name the types in the table's schema.

reset role;

-- Returns a role that can name a type, or null if this role can name it.
create function _plinth.realtime_role_naming(p_type oid) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.rolname
  from pg_catalog.pg_type t
  join pg_catalog.pg_roles r on has_schema_privilege(r.oid, t.typnamespace, 'USAGE')
  join unnest(array['authenticated', 'anon', 'service_role']) with ordinality as o (name, position) on o.name = r.rolname
  where t.oid = p_type and not has_schema_privilege(t.typnamespace, 'USAGE')
  order by o.position limit 1
$$;

-- Converts values in output format to JSON. Used for types with a cast to json, such as hstore and geometry. A value
-- that can't be converted is null.
create function _plinth.realtime_json_values(p_types text[], p_values text[]) returns jsonb[]
language plpgsql stable
set search_path = realtime, pg_temp
as $$
declare
  own_role constant text := current_setting('role');
  assumed text;
  results jsonb[] := '{}';
  result jsonb;
begin
  for i in 1 .. cardinality(p_types) loop
    foreach assumed in array array[own_role, 'authenticated', 'anon', 'service_role'] loop
      begin
        perform set_config('role', assumed, true);
        execute format('select to_jsonb($1::%s)', p_types[i]::regtype) using p_values[i] into result;
        exit;
      exception
        when insufficient_privilege then
          result := null;
        when others then
          result := null;
          exit;
      end;
    end loop;
    results := array_append(results, result);
  end loop;
  perform set_config('role', own_role, true);
  return results;
end
$$;

revoke all on function _plinth.realtime_role_naming(oid), _plinth.realtime_json_values(text[], text[]) from public;
grant execute on function _plinth.realtime_role_naming(oid), _plinth.realtime_json_values(text[], text[])
to supabase_realtime_admin;

set local role supabase_realtime_admin;

-- Evaluates several conditions. A condition that fails to evaluate doesn't match.
create function _plinth.realtime_check_conditions(
  p_ops text[], p_types text[], p_values text[], p_operands text[], p_negates boolean[]
) returns boolean[]
language plpgsql stable
set search_path = realtime, pg_temp
as $$
declare
  own_role constant text := current_setting('role');
  assumed text;
  results boolean[] := '{}';
  result boolean;
begin
  for i in 1 .. cardinality(p_ops) loop
    foreach assumed in array array[own_role, 'authenticated', 'anon', 'service_role'] loop
      begin
        perform set_config('role', assumed, true);
        result := realtime.check_equality_op(
          p_ops[i]::realtime.equality_op, p_types[i]::regtype, p_values[i], p_operands[i], p_negates[i]
        );
        exit;
      exception
        when insufficient_privilege then
          result := false;
        when others then
          result := false;
          exit;
      end;
    end loop;
    results := results || coalesce(result, false);
  end loop;
  perform set_config('role', own_role, true);
  return results;
end
$$;

-- Validates a subscription against a table for a role, and returns each condition's operands in the format of the
-- type's output function, which is also the format of the change stream. A cast to text can have a different result:
-- `true` instead of `t` for boolean, `10.0.0.1/32` instead of `10.0.0.1` for inet, and no trailing spaces for char(n).
-- Project types can have such casts too. `format` calls the output function. Clients see the error messages, which are
-- upstream's.
create function _plinth.realtime_check_subscription(
  p_table oid, p_role text, p_conditions jsonb, p_select text[]
) returns jsonb
language plpgsql stable
set search_path = pg_catalog, extensions, public
as $$
declare
  readable text[];
  condition jsonb;
  selected text;
  column_type oid;
  typ text;
  operator text;
  operand text;
  assumed text;
  normal jsonb;
  normals jsonb := '[]';
  own_role constant text := current_setting('role');
begin
  select coalesce(array_agg(a.attname), '{}') into readable
  from pg_catalog.pg_attribute a
  where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped
    and has_column_privilege(p_role, p_table, a.attnum, 'SELECT');

  for condition in select value from jsonb_array_elements(p_conditions) loop
    if not (condition ->> 'column') = any (readable) then
      raise exception 'invalid column for filter %', condition ->> 'column';
    end if;
    select a.atttypid into column_type
    from pg_catalog.pg_attribute a where a.attrelid = p_table and a.attname = condition ->> 'column';
    typ := format_type(column_type, -1);
    assumed := _plinth.realtime_role_naming(column_type);
    if assumed is not null then
      perform set_config('role', assumed, true);
    end if;
    operator := condition ->> 'operator';
    operand := condition ->> 'value';
    normal := jsonb_build_array(operand);

    if operator = 'in' then
      -- The elements are compared with NULL in a way that isn't true for a row whose fields are all NULL.
      execute format(
        'select coalesce(jsonb_agg(case when e is distinct from null then format(''%%s'', e) end), ''[]'') '
        'from (select unnest($1::%s[]) as e) as elements',
        typ
      ) using operand into normal;
      if jsonb_array_length(normal) > 100 then
        raise exception 'too many values for `in` filter. Maximum 100';
      end if;
      if jsonb_array_length(normal) > 0 then
        perform realtime.check_equality_op('in', column_type, normal ->> 0, operand, false);
      end if;
    elsif operator = 'is' then
      if operand not in ('null', 'true', 'false', 'unknown') then
        raise exception 'invalid value for is filter: must be null, true, false, or unknown';
      end if;
      if operand <> 'null' and column_type <> 'boolean'::regtype then
        raise exception 'is % filter requires a boolean column, got %', operand, typ;
      end if;
    elsif operator in ('like', 'ilike', 'match', 'imatch') then
      if not exists (
        select from pg_catalog.pg_operator o
        where o.oprname = case operator when 'match' then '~' when 'imatch' then '~*' when 'ilike' then '~~*' else '~~' end
          and o.oprleft = column_type and o.oprresult = 'boolean'::regtype
      ) and not exists (
        -- varchar doesn't have its own operators.
        select from pg_catalog.pg_cast c
        where c.castsource = column_type and c.casttarget = 'text'::regtype and c.castmethod = 'b' and c.castcontext = 'i'
          and column_type = 'varchar'::regtype
      ) then
        raise exception 'operator % requires a text-compatible column type, got %', operator, typ;
      end if;
      if operator in ('match', 'imatch') then
        begin
          perform '' ~ operand;
        exception when others then
          raise exception 'invalid regular expression for % filter: %', operator, sqlerrm;
        end;
      end if;
    else
      execute format('select jsonb_build_array(format(''%%s'', $1::%s))', typ) using operand into normal;
      -- A type without the operator, such as json, is rejected now. Otherwise, the filter would never match.
      perform realtime.check_equality_op(operator::realtime.equality_op, column_type, operand, operand, false);
    end if;
    perform set_config('role', own_role, true);
    normals := normals || jsonb_build_array(normal);
  end loop;

  foreach selected in array coalesce(p_select, '{}') loop
    if not selected = any (readable) then
      raise exception 'invalid column for select %', selected;
    end if;
  end loop;
  return normals;
end
$$;

-- Creates the function that determines which callers can see which rows of a table, and returns the function's name.
-- The function's parameters are an array of text values for each primary key column, in the table's column order and in
-- the format of the columns' output functions, followed by the claim sets (role, sub, claims) sorted by role. For each
-- claim set that can see any rows, it returns the row numbers. The functions are created in `_realtime`, because only
-- superusers can create objects in `_plinth`.
--
-- Each claim set requires a separate statement, because `(select auth.uid())` in a policy is evaluated once per
-- statement. If a statement contained several claim sets, one user's rows would be visible to all of them. Static SQL
-- with a generic plan is planned once per role. The exception block isolates errors in one user's policies.
--
-- A column of one of PostgreSQL's types, or of a domain over such a type, is compared with the type's own operator, so
-- that an index can be used. All other columns, such as arrays, composite types and types of projects and extensions,
-- are compared as text, because arrays of arrays don't exist, and because neither this role nor a subscriber's role
-- needs USAGE on the schema of a column's type.
--
-- Equal values can have different texts, such as 1.0 and 1.00. If an update replaces one with the other, the batch
-- contains both, and both identify the row. Searching all positions takes longer, so it is limited to such types.
create function _plinth.realtime_make_visibility(p_table oid) returns text
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

revoke all on function
  _plinth.realtime_check_conditions(text[], text[], text[], text[], boolean[]),
  _plinth.realtime_check_subscription(oid, text, jsonb, text[]),
  _plinth.realtime_make_visibility(oid)
from public;

reset role;
revoke create on schema _plinth from supabase_realtime_admin;

-- Records include stored generated columns. PostgreSQL 18 publishes generated columns if the publication is configured
-- to do so. Records from older servers lack them, and virtual columns are never included. With REPLICA IDENTITY FULL,
-- PostgreSQL 18 rejects updates to a published table that has an unpublished generated column.
do $$
begin
  if exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    perform _plinth.attempt(
      'alter publication supabase_realtime set (publish_generated_columns = stored)', 180000
    );
  end if;
end
$$;

-- Runs again when projects drop and recreate the publication in migrations, with the privileges of the role that
-- recreates it.
create function _plinth.realtime_publish_generated() returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands()
    where object_type = 'publication' and object_identity = 'supabase_realtime'
  ) then
    alter publication supabase_realtime set (publish_generated_columns = stored);
  end if;
end
$$;

select _plinth.attempt($$
  create event trigger plinth_realtime_publication on ddl_command_end when tag in ('CREATE PUBLICATION')
  execute function _plinth.realtime_publish_generated()
$$, 180000);
