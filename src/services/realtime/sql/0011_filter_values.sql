-- Operands have the format of the type's output function, which is also the format of the change stream. A cast to text
-- can have a different result: `true` instead of `t` for boolean, `10.0.0.1/32` instead of `10.0.0.1` for inet, and no
-- trailing spaces for char(n). Project types can have such casts too. `format` calls the output function.
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
  normal jsonb;
  normals jsonb := '[]';
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

-- Converts values in output format to JSON. Used for types with a cast to json, such as hstore and geometry. A value that
-- can't be converted is null.
create function _plinth.realtime_json_values(p_types text[], p_values text[]) returns jsonb[]
language plpgsql stable
set search_path = realtime, pg_temp
as $$
declare
  results jsonb[] := '{}';
  result jsonb;
begin
  for i in 1 .. cardinality(p_types) loop
    begin
      execute format('select to_jsonb($1::%s)', p_types[i]::regtype) using p_values[i] into result;
    exception when others then
      result := null;
    end;
    results := array_append(results, result);
  end loop;
  return results;
end
$$;

revoke all on function _plinth.realtime_json_values(text[], text[]) from public;
grant execute on function _plinth.realtime_json_values(text[], text[]) to supabase_realtime_admin;
