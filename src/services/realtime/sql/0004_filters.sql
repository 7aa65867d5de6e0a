-- Filters of postgres_changes. They are validated on subscription, and evaluated in PostgreSQL if required (collations,
-- numbers with a scale, timestamps, patterns).

set local role supabase_realtime_admin;

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

-- Evaluates several conditions. A condition that fails to evaluate doesn't match.
create function _plinth.realtime_check_conditions(
  p_ops text[], p_types text[], p_values text[], p_operands text[], p_negates boolean[]
) returns boolean[]
language plpgsql stable
as $$
declare
  results boolean[] := '{}';
  result boolean;
begin
  for i in 1 .. cardinality(p_ops) loop
    begin
      result := realtime.check_equality_op(
        p_ops[i]::realtime.equality_op, p_types[i]::regtype, p_values[i], p_operands[i], p_negates[i]
      );
    exception when others then
      result := false;
    end;
    results := results || coalesce(result, false);
  end loop;
  return results;
end
$$;

-- Validates a subscription against a table for a role, and returns each condition's operands in the type's output
-- format. Clients see the error messages, which are upstream's.
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
      execute format('select to_jsonb($1::%s[]::text[])', typ) using operand into normal;
      if jsonb_array_length(normal) > 100 then
        raise exception 'too many values for `in` filter. Maximum 100';
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
        where o.oprname = case operator when 'match' then '~' when 'imatch' then '~*' else '~~' end
          and o.oprleft = column_type and o.oprresult = 'boolean'::regtype
      ) and not exists (
        -- varchar doesn't have its own operators.
        select from pg_catalog.pg_cast c
        where c.castsource = column_type and c.casttarget = 'text'::regtype and c.castmethod = 'b' and c.castcontext = 'i'
          and operator in ('like', 'ilike', 'match', 'imatch') and column_type = 'varchar'::regtype
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
      execute format('select jsonb_build_array(($1::%s)::text)', typ) using operand into normal;
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

revoke all on function
  _plinth.realtime_check_conditions(text[], text[], text[], text[], boolean[]),
  _plinth.realtime_check_subscription(oid, text, jsonb, text[])
from public;
