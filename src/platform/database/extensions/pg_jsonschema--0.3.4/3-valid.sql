-- Whether a number is an integer. In draft 4, `1.0` isn't one.
create function @extschema@._jsonschema_integral(n numeric, draft int) returns boolean
language sql immutable parallel safe
as $$ select n = trunc(n) and (draft > 4 or scale(n) = 0) $$;

-- Whether `instance` is valid. Each group of keywords is checked only if the schema contains one of the group, because
-- most schemas contain few keywords and each check costs time.
create function @extschema@._jsonschema_valid(
  schema jsonb, instance jsonb, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns boolean
language plpgsql immutable parallel safe
as $$
#variable_conflict use_variable
declare
  kind constant text := jsonb_typeof(instance);
  word text;
  value jsonb;
  matches int;
  names text[];
  is_valid boolean;
begin
  depth := depth + 1;
  if depth > 200 then
    raise exception using errcode = '54001', message = 'The validation is nested too deeply',
      hint = 'The schema contains a reference that leads back to itself, or the value is nested too deeply.';
  end if;
  if jsonb_typeof(schema) <> 'object' then
    if jsonb_typeof(schema) = 'boolean' then
      return schema::boolean;
    end if;
    perform @extschema@._jsonschema_fault(format('%s is not of types "boolean", "object"', schema));
  end if;
  if reg is not null then
    word := @extschema@._jsonschema_id(schema, draft);
    if word is not null then
      base := @extschema@._jsonschema_resolve_uri(base, word);
      draft := coalesce(@extschema@._jsonschema_draft(schema ->> '$schema'), draft);
    end if;
    if base <> scope[cardinality(scope)] then
      scope := scope || base;
    end if;
  end if;

  word := schema ->> 'type';
  if word <> kind and (draft > 7 or not schema ? '$ref') then
    if word = 'integer' and kind = 'number' then
      if not @extschema@._jsonschema_integral(instance::numeric, draft) then
        return false;
      end if;
    elsif word in ('array', 'boolean', 'integer', 'null', 'number', 'object', 'string') then
      return false;
    elsif jsonb_typeof(schema -> 'type') <> 'array' then
      perform @extschema@._jsonschema_fault(format('%s is not a type', schema -> 'type'));
    elsif not (schema -> 'type') ? kind and not (kind = 'number' and (schema -> 'type') ? 'integer'
      and @extschema@._jsonschema_integral(instance::numeric, draft)) then
      return false;
    end if;
  end if;

  if schema ?| '{$ref,$dynamicRef,$recursiveRef}' and jsonb_typeof(coalesce(schema -> '$ref', '""')) = 'string' then
    word := schema ->> '$ref';
    if word is not null then
      if reg is null and word ~ '^#(/[^~%]+)?$' then
        value := root #> string_to_array(substr(word, 3), '/');
        if value is null then
          perform @extschema@._jsonschema_fault(format('Pointer %s does not exist', quote_literal(substr(word, 2))));
        end if;
        if not @extschema@._jsonschema_valid(value, instance, root, reg, base, scope, draft, depth) then
          return false;
        end if;
      elsif not @extschema@._jsonschema_valid_reference('$ref', word, instance, root, reg, base, scope, draft, depth) then
        return false;
      end if;
      if draft <= 7 then
        return true;
      end if;
    end if;
    word := case draft when 20 then '$dynamicRef' when 19 then '$recursiveRef' end;
    if schema ? word and not @extschema@._jsonschema_valid_reference(
      word, schema ->> word, instance, root, reg, base, scope, draft, depth) then
      return false;
    end if;
  end if;

  if schema ?| '{const,enum,allOf,anyOf,oneOf,not,if}' then
    if schema ? 'enum' then
      if kind in ('object', 'array') then
        if not exists (select from jsonb_array_elements(schema -> 'enum') each where each.value = instance) then
          return false;
        end if;
      elsif not schema -> 'enum' @> instance then
        return false;
      end if;
    end if;
    if schema ? 'const' and draft >= 6 and schema -> 'const' <> instance then
      return false;
    end if;
    if schema ? 'allOf' then
      value := schema -> 'allOf';
      for index in 0 .. jsonb_array_length(value) - 1 loop
        if not @extschema@._jsonschema_valid(value -> index, instance, root, reg, base, scope, draft, depth) then
          return false;
        end if;
      end loop;
    end if;
    if schema ?| '{anyOf,oneOf}' then
      foreach word in array '{anyOf,oneOf}'::text[] loop
        if schema ? word then
          value := schema -> word;
          matches := 0;
          for index in 0 .. jsonb_array_length(value) - 1 loop
            if @extschema@._jsonschema_valid(value -> index, instance, root, reg, base, scope, draft, depth) then
              matches := matches + 1;
              exit when word = 'anyOf' or matches > 1;
            end if;
          end loop;
          if matches <> 1 then
            return false;
          end if;
        end if;
      end loop;
    end if;
    if schema ? 'not' and @extschema@._jsonschema_valid(schema -> 'not', instance, root, reg, base, scope, draft, depth) then
      return false;
    end if;
    if schema ? 'if' and draft >= 7 then
      word := case
        when @extschema@._jsonschema_valid(schema -> 'if', instance, root, reg, base, scope, draft, depth) then 'then'
        else 'else'
      end;
      if schema ? word
        and not @extschema@._jsonschema_valid(schema -> word, instance, root, reg, base, scope, draft, depth) then
        return false;
      end if;
    end if;
  end if;

  if kind = 'string' then
    return not schema ?| '{minLength,maxLength,pattern,format,contentEncoding,contentMediaType}'
      or @extschema@._jsonschema_valid_string(schema, instance #>> '{}', draft);
  elsif kind = 'number' then
    return not schema ?| '{minimum,maximum,exclusiveMinimum,exclusiveMaximum,multipleOf}'
      or @extschema@._jsonschema_valid_number(schema, instance::numeric, draft);
  elsif kind = 'object' then
    if schema ? 'required' then
      value := schema -> 'required';
      if jsonb_typeof(value) <> 'array' then
        perform @extschema@._jsonschema_fault(format('%s is not of type "array"', value));
      end if;
      for index in 0 .. jsonb_array_length(value) - 1 loop
        if not instance ? (value ->> index) then
          return false;
        end if;
      end loop;
    end if;
    if schema ? 'properties' then
      if schema -> 'additionalProperties' = 'false' then
        -- One query for both keywords. Most objects have no other members, so the slower check isn't needed.
        select bool_and(case when instance ? each.key then @extschema@._jsonschema_valid(
            each.value, instance -> each.key, root, reg, base, scope, draft, depth) else true end), array_agg(each.key)
          into is_valid, names from jsonb_each(schema -> 'properties') each;
        if not is_valid then
          return false;
        end if;
        if instance - names = '{}' then
          schema := schema - 'additionalProperties';
        end if;
      elsif exists (
        select from jsonb_each(schema -> 'properties') each
        where instance ? each.key and not @extschema@._jsonschema_valid(
          each.value, instance -> each.key, root, reg, base, scope, draft, depth)) then
        return false;
      end if;
    end if;
    return not schema ?| '{additionalProperties,patternProperties,propertyNames,minProperties,maxProperties,dependencies,dependentRequired,dependentSchemas,unevaluatedProperties}'
      or @extschema@._jsonschema_valid_object(schema, instance, root, reg, base, scope, draft, depth);
  elsif kind = 'array' then
    return not schema ?| '{items,prefixItems,additionalItems,contains,minItems,maxItems,uniqueItems,unevaluatedItems}'
      or @extschema@._jsonschema_valid_array(schema, instance, root, reg, base, scope, draft, depth);
  end if;
  return true;
end
$$;

-- Follows a reference. The registry is created here for documents that seemed not to need one.
create function @extschema@._jsonschema_valid_reference(
  keyword text, reference text, instance jsonb, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  known constant jsonb := coalesce(reg, @extschema@._jsonschema_registry(root, draft));
  found constant jsonb := case keyword
    when '$ref' then @extschema@._jsonschema_find(reference, root, known, base, draft)
    else @extschema@._jsonschema_find_dynamic(reference, root, known, base, scope, draft)
  end;
begin
  return @extschema@._jsonschema_valid(found -> 's', instance, coalesce(found -> 'root', root),
    case when not found ? 'root' then known end, found ->> 'b', scope, (found ->> 'd')::int, depth + 1);
end
$$;

create function @extschema@._jsonschema_valid_number(schema jsonb, n numeric, draft int) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  if draft = 4 then
    if n <= (schema ->> 'minimum')::numeric
      and (n < (schema ->> 'minimum')::numeric or schema -> 'exclusiveMinimum' = 'true') then
      return false;
    end if;
    if n >= (schema ->> 'maximum')::numeric
      and (n > (schema ->> 'maximum')::numeric or schema -> 'exclusiveMaximum' = 'true') then
      return false;
    end if;
  elsif n < (schema -> 'minimum')::numeric or n > (schema -> 'maximum')::numeric
    or n <= (schema -> 'exclusiveMinimum')::numeric or n >= (schema -> 'exclusiveMaximum')::numeric then
    return false;
  end if;
  if schema ? 'multipleOf' then
    if (schema -> 'multipleOf')::numeric <= 0 then
      perform @extschema@._jsonschema_fault(
        format('%s is less than or equal to the minimum of 0', schema -> 'multipleOf'));
    end if;
    return mod(n, (schema -> 'multipleOf')::numeric) = 0;
  end if;
  return true;
end
$$;

create function @extschema@._jsonschema_valid_string(schema jsonb, t text, draft int) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  if char_length(t) < (schema -> 'minLength')::numeric or char_length(t) > (schema -> 'maxLength')::numeric then
    return false;
  end if;
  if schema ? 'pattern' and t !~ @extschema@._jsonschema_regex(schema ->> 'pattern') then
    return false;
  end if;
  -- Since 2019-09, formats and encodings are annotations.
  if draft <= 7 then
    if schema ? 'format' and not @extschema@._jsonschema_format(schema ->> 'format', t, draft) then
      return false;
    end if;
    if draft >= 6 and schema ?| '{contentEncoding,contentMediaType}' then
      return @extschema@._jsonschema_content(schema ->> 'contentEncoding', schema ->> 'contentMediaType', t) is null;
    end if;
  end if;
  return true;
end
$$;

-- Returns the keyword that a string violates, or null: `contentEncoding` base64 and `contentMediaType` application/json.
create function @extschema@._jsonschema_content(encoding text, media_type text, t text) returns text
language plpgsql immutable parallel safe
as $$
begin
  if encoding = 'base64' then
    if t !~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' then
      return 'contentEncoding';
    end if;
    if media_type = 'application/json' then
      t := convert_from(decode(t, 'base64'), 'UTF8');
    end if;
  end if;
  return case when media_type = 'application/json' and t is not json then 'contentMediaType' end;
end
$$;

-- Whether a property name is covered by `properties` or `patternProperties`.
create function @extschema@._jsonschema_named(schema jsonb, name text) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  return coalesce((schema -> 'properties') ? name, false) or schema ? 'patternProperties' and exists (
    select from jsonb_object_keys(schema -> 'patternProperties') pattern
    where name ~ @extschema@._jsonschema_regex(pattern));
end
$$;

-- Checks the keywords for objects except `properties` and `required`.
create function @extschema@._jsonschema_valid_object(
  schema jsonb, instance jsonb, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  total bigint;
  evaluated text[];
begin
  if schema ?| '{minProperties,maxProperties}' then
    select count(*) into total from jsonb_object_keys(instance);
    if total < (schema -> 'minProperties')::numeric or total > (schema -> 'maxProperties')::numeric then
      return false;
    end if;
  end if;
  if schema ? 'patternProperties' and exists (
    select from jsonb_each(schema -> 'patternProperties') pattern, jsonb_each(instance) member
    where member.key ~ @extschema@._jsonschema_regex(pattern.key)
      and not @extschema@._jsonschema_valid(pattern.value, member.value, root, reg, base, scope, draft, depth)) then
    return false;
  end if;
  if schema ? 'additionalProperties' and exists (
    select from jsonb_each(instance) member
    where not @extschema@._jsonschema_named(schema, member.key)
      and not @extschema@._jsonschema_valid(
        schema -> 'additionalProperties', member.value, root, reg, base, scope, draft, depth)) then
    return false;
  end if;
  if schema ? 'propertyNames' and draft >= 6 and exists (
    select from jsonb_object_keys(instance) name
    where not @extschema@._jsonschema_valid(
      schema -> 'propertyNames', to_jsonb(name), root, reg, base, scope, draft, depth)) then
    return false;
  end if;
  if schema ?| '{dependencies,dependentRequired,dependentSchemas}' then
    if exists (
      select from jsonb_each(coalesce(case when draft >= 19 then schema -> 'dependentRequired' end, '{}')
        || coalesce(schema -> 'dependencies', '{}')) each
      where instance ? each.key and jsonb_typeof(each.value) = 'array' and exists (
        select from jsonb_array_elements_text(each.value) name where not instance ? name)) then
      return false;
    end if;
    if exists (
      select from jsonb_each(coalesce(case when draft >= 19 then schema -> 'dependentSchemas' end, '{}')
        || coalesce(schema -> 'dependencies', '{}')) each
      where instance ? each.key and jsonb_typeof(each.value) <> 'array'
        and not @extschema@._jsonschema_valid(each.value, instance, root, reg, base, scope, draft, depth)) then
      return false;
    end if;
  end if;
  if schema ? 'unevaluatedProperties' and draft >= 19 then
    evaluated := @extschema@._jsonschema_evaluated(
      schema - 'unevaluatedProperties', instance, root, reg, base, scope, draft, depth);
    return not exists (
      select from jsonb_each(instance) member
      where member.key <> all (evaluated) and not @extschema@._jsonschema_valid(
        schema -> 'unevaluatedProperties', member.value, root, reg, base, scope, draft, depth));
  end if;
  return true;
end
$$;

-- Returns how many items at the beginning of an array have separate schemas, and the schema for the other items.
create function @extschema@._jsonschema_items(schema jsonb, draft int, out positional jsonb, out others jsonb)
language sql immutable parallel safe
as $$
  select
    case when draft = 20 then schema -> 'prefixItems'
      when jsonb_typeof(schema -> 'items') = 'array' then schema -> 'items' end,
    case when draft = 20 or jsonb_typeof(schema -> 'items') <> 'array' then schema -> 'items'
      when schema ? 'items' then schema -> 'additionalItems' end
$$;

-- Returns the number of items that `contains` matches, and whether that number is allowed.
create function @extschema@._jsonschema_contains_enough(
  schema jsonb, instance jsonb, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns boolean
language sql immutable parallel safe
as $$
  select count(*) >= coalesce(case when draft >= 19 then schema -> 'minContains' end, '1')::numeric
    and (draft < 19 or not schema ? 'maxContains' or count(*) <= (schema -> 'maxContains')::numeric)
  from jsonb_array_elements(instance) each
  where @extschema@._jsonschema_valid(schema -> 'contains', each.value, root, reg, base, scope, draft, depth)
$$;

create function @extschema@._jsonschema_valid_array(
  schema jsonb, instance jsonb, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  total constant int := jsonb_array_length(instance);
  positional jsonb;
  others jsonb;
  start int := 0;
  evaluated text[];
begin
  if total < (schema -> 'minItems')::numeric or total > (schema -> 'maxItems')::numeric then
    return false;
  end if;
  if schema ?| '{items,prefixItems}' then
    if jsonb_typeof(schema -> 'items') = 'array' or schema ? 'prefixItems' then
      select * into positional, others from @extschema@._jsonschema_items(schema, draft);
    else
      others := schema -> 'items';
    end if;
    if positional is not null then
      start := least(jsonb_array_length(positional), total);
      for index in 0 .. start - 1 loop
        if not @extschema@._jsonschema_valid(
          positional -> index, instance -> index, root, reg, base, scope, draft, depth) then
          return false;
        end if;
      end loop;
    end if;
    if others is not null then
      for index in start .. total - 1 loop
        if not @extschema@._jsonschema_valid(others, instance -> index, root, reg, base, scope, draft, depth) then
          return false;
        end if;
      end loop;
    end if;
  end if;
  if schema -> 'uniqueItems' = 'true' and (
    select count(*) <> count(distinct each.value) from jsonb_array_elements(instance) each) then
    return false;
  end if;
  if schema ? 'contains' and draft >= 6
    and not @extschema@._jsonschema_contains_enough(schema, instance, root, reg, base, scope, draft, depth) then
    return false;
  end if;
  if schema ? 'unevaluatedItems' and draft >= 19 then
    evaluated := @extschema@._jsonschema_evaluated(
      schema - 'unevaluatedItems', instance, root, reg, base, scope, draft, depth);
    return not exists (
      select from jsonb_array_elements(instance) with ordinality each (value, position)
      where (position - 1)::text <> all (evaluated) and not @extschema@._jsonschema_valid(
        schema -> 'unevaluatedItems', each.value, root, reg, base, scope, draft, depth));
  end if;
  return true;
end
$$;

-- Returns the property names, or the positions of the items, that the keywords of a schema evaluate. The instance is
-- valid for the schema.
create function @extschema@._jsonschema_evaluated(
  schema jsonb, instance jsonb, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns text[]
language plpgsql immutable parallel safe
as $$
#variable_conflict use_variable
declare
  is_object constant boolean := jsonb_typeof(instance) = 'object';
  everything text[];
  evaluated text[] := '{}';
  positional jsonb;
  others jsonb;
  known jsonb := reg;
  found jsonb;
  word text;
  child jsonb;
begin
  if jsonb_typeof(schema) <> 'object' then
    return evaluated;
  end if;
  if reg is not null then
    word := @extschema@._jsonschema_id(schema, draft);
    base := case when word is null then base else @extschema@._jsonschema_resolve_uri(base, word) end;
    scope := case when base <> scope[cardinality(scope)] then scope || base else scope end;
  end if;
  everything := case
    when is_object then array(select jsonb_object_keys(instance))
    else array(select generate_series(0, jsonb_array_length(instance) - 1)::text)
  end;

  if is_object then
    if schema ?| '{additionalProperties,unevaluatedProperties}' then
      return everything;
    end if;
    evaluated := array(select name from unnest(everything) name where @extschema@._jsonschema_named(schema, name));
  else
    select * into positional, others from @extschema@._jsonschema_items(schema, draft);
    if others is not null or schema ? 'unevaluatedItems' then
      return everything;
    end if;
    evaluated := everything[: coalesce(jsonb_array_length(positional), 0)];
    if draft = 20 and schema ? 'contains' then
      evaluated := evaluated || array(
        select (position - 1)::text from jsonb_array_elements(instance) with ordinality each (value, position)
        where @extschema@._jsonschema_valid(schema -> 'contains', each.value, root, reg, base, scope, draft, depth));
    end if;
  end if;

  foreach word in array array['$ref', case draft when 20 then '$dynamicRef' else '$recursiveRef' end] loop
    if jsonb_typeof(schema -> word) = 'string' then
      known := coalesce(known, @extschema@._jsonschema_registry(root, draft));
      found := case word
        when '$ref' then @extschema@._jsonschema_find(schema ->> word, root, known, base, draft)
        else @extschema@._jsonschema_find_dynamic(schema ->> word, root, known, base, scope, draft)
      end;
      evaluated := evaluated || @extschema@._jsonschema_evaluated(found -> 's', instance, coalesce(found -> 'root', root),
        case when not found ? 'root' then known end, found ->> 'b', scope, (found ->> 'd')::int, depth);
    end if;
  end loop;

  for child in
    select each.value
    from jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) each
    union all
    select each.value
    from jsonb_array_elements(coalesce(schema -> 'anyOf', '[]') || coalesce(schema -> 'oneOf', '[]')) each
    where @extschema@._jsonschema_valid(each.value, instance, root, reg, base, scope, draft, depth)
    union all
    select each.value from jsonb_each(coalesce(schema -> 'dependentSchemas', '{}')) each
    where is_object and instance ? each.key
  loop
    evaluated := evaluated || @extschema@._jsonschema_evaluated(child, instance, root, reg, base, scope, draft, depth);
  end loop;
  if schema ? 'if' then
    if @extschema@._jsonschema_valid(schema -> 'if', instance, root, reg, base, scope, draft, depth) then
      evaluated := evaluated
        || @extschema@._jsonschema_evaluated(schema -> 'if', instance, root, reg, base, scope, draft, depth)
        || @extschema@._jsonschema_evaluated(
          coalesce(schema -> 'then', 'true'), instance, root, reg, base, scope, draft, depth);
    else
      evaluated := evaluated || @extschema@._jsonschema_evaluated(
        coalesce(schema -> 'else', 'true'), instance, root, reg, base, scope, draft, depth);
    end if;
  end if;
  return evaluated;
end
$$;
