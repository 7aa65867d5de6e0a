-- A type can be named only with USAGE on its schema, which this role doesn't have on a project's schemas. The functions
-- that convert and compare values therefore assume a role that can name the type. Clients use these roles, so a
-- subscriber that can read a table can usually also name the types in the table's schema.
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

create or replace function _plinth.realtime_check_subscription(
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

create or replace function _plinth.realtime_check_conditions(
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

create or replace function _plinth.realtime_json_values(p_types text[], p_values text[]) returns jsonb[]
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

revoke all on function _plinth.realtime_role_naming(oid) from public;
grant execute on function _plinth.realtime_role_naming(oid) to supabase_realtime_admin;
