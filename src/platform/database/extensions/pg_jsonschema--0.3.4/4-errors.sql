-- Returns a meta-schema, which describes valid schemas of a draft. Subschemas are described by `#`, so one validation
-- checks a whole schema. Annotations are left out.
create function @extschema@._jsonschema_meta(draft int) returns jsonb
language sql immutable parallel safe
as $$
  with names as (
    select
      '{"$ref": "#"}'::jsonb as schema,
      '{"type": "object", "additionalProperties": {"$ref": "#"}}'::jsonb as schemas,
      '{"$ref": "#/definitions/schemaArray"}'::jsonb as list,
      '{"$ref": "#/definitions/nonNegativeInteger"}'::jsonb as size,
      '{"$ref": "#/definitions/stringArray"}'::jsonb as strings,
      '{"type": "string"}'::jsonb as string,
      '{"type": "number"}'::jsonb as number,
      '{"type": "boolean"}'::jsonb as boolean
  ), common as (
    select jsonb_build_object(
      '$ref', string || '{"format": "uri-reference"}',
      '$schema', string || '{"format": "uri"}',
      'title', string, 'description', string, 'format', string,
      'maximum', number, 'minimum', number,
      'maxLength', size, 'minLength', size, 'maxItems', size, 'minItems', size,
      'maxProperties', size, 'minProperties', size,
      'pattern', string || '{"format": "regex"}',
      'additionalItems', schema, 'additionalProperties', schema, 'not', schema,
      'items', case when draft = 20 then schema else jsonb_build_object('anyOf', jsonb_build_array(schema, list)) end,
      'uniqueItems', boolean, 'required', strings,
      'definitions', schemas, 'properties', schemas,
      'patternProperties', schemas || '{"propertyNames": {"format": "regex"}}',
      'dependencies', jsonb_build_object('type', 'object',
        'additionalProperties', jsonb_build_object('anyOf', jsonb_build_array(schema, strings))),
      'type', '{"anyOf": [{"$ref": "#/definitions/simpleTypes"}, {
        "type": "array", "items": {"$ref": "#/definitions/simpleTypes"}, "minItems": 1, "uniqueItems": true}]}'::jsonb,
      'allOf', list, 'anyOf', list, 'oneOf', list
    ) as properties, names.* from names
  )
  select case when draft is not null then jsonb_build_object(
    'type', case when draft = 4 then '"object"' else '["object", "boolean"]' end::jsonb,
    'definitions', jsonb_build_object(
      'nonNegativeInteger', '{"type": "integer", "minimum": 0}'::jsonb,
      'simpleTypes', '{"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]}'::jsonb,
      'schemaArray', jsonb_build_object('type', 'array', 'minItems', 1, 'items', schema),
      'stringArray', '{"type": "array", "items": {"type": "string"}, "uniqueItems": true}'
        || case when draft = 4 then '{"minItems": 1}' else '{}' end::jsonb),
    'properties', properties
      || case when draft = 4 then jsonb_build_object(
        'id', string, 'multipleOf', number || '{"exclusiveMinimum": 0}',
        'exclusiveMaximum', boolean, 'exclusiveMinimum', boolean,
        'additionalItems', jsonb_build_object('anyOf', jsonb_build_array(boolean, schema)),
        'additionalProperties', jsonb_build_object('anyOf', jsonb_build_array(boolean, schema)),
        'enum', '{"type": "array", "minItems": 1, "uniqueItems": true}'::jsonb)
      else jsonb_build_object(
        '$id', string || case when draft >= 19
          then '{"format": "uri-reference", "pattern": "^[^#]*#?$"}' else '{"format": "uri-reference"}' end::jsonb,
        'multipleOf', number || '{"exclusiveMinimum": 0}',
        'exclusiveMaximum', number, 'exclusiveMinimum', number,
        'contains', schema, 'propertyNames', schema,
        'examples', '{"type": "array"}'::jsonb, 'enum', '{"type": "array"}'::jsonb) end
      || case when draft >= 7 then jsonb_build_object(
        '$comment', string, 'readOnly', boolean, 'writeOnly', boolean, 'contentEncoding', string,
        'contentMediaType', string, 'if', schema, 'then', schema, 'else', schema) else '{}' end
      || case when draft >= 19 then jsonb_build_object(
        '$defs', schemas, '$anchor', string || '{"pattern": "^[A-Za-z_][-A-Za-z0-9._:]*$"}',
        '$vocabulary', '{"type": "object", "additionalProperties": {"type": "boolean"}}'::jsonb,
        'deprecated', boolean, 'contentSchema', schema, 'minContains', size, 'maxContains', size,
        'dependentSchemas', schemas, 'unevaluatedItems', schema, 'unevaluatedProperties', schema,
        'dependentRequired', jsonb_build_object('type', 'object', 'additionalProperties', strings)) else '{}' end
      || case draft when 19 then jsonb_build_object(
        '$recursiveRef', string || '{"format": "uri-reference"}', '$recursiveAnchor', boolean)
      when 20 then jsonb_build_object(
        'prefixItems', list, '$dynamicRef', string || '{"format": "uri-reference"}',
        '$dynamicAnchor', string || '{"pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"}') else '{}' end
  ) || case when draft = 4
    then '{"dependencies": {"exclusiveMaximum": ["maximum"], "exclusiveMinimum": ["minimum"]}}' else '{}' end::jsonb end
  from common
$$;

-- Prints a value as the original does: without spaces, and with the members of objects in the order of their names.
create function @extschema@._jsonschema_text(value jsonb) returns text
language plpgsql immutable strict parallel safe
as $$
begin
  return case jsonb_typeof(value)
    when 'object' then (
      select '{' || coalesce(string_agg(
        to_json(member.key) || ':' || @extschema@._jsonschema_text(member.value), ',' order by member.key collate "C"), '') || '}'
      from jsonb_each(value) member)
    when 'array' then (
      select '[' || coalesce(string_agg(@extschema@._jsonschema_text(item.value), ',' order by item.position), '') || ']'
      from jsonb_array_elements(value) with ordinality item (value, position))
    else value::text
  end;
end
$$;

-- Prints the end of an error message about unexpected members or items.
create function @extschema@._jsonschema_unexpected(what text, names text[]) returns text
language sql immutable parallel safe
as $$
  select format('%s are not allowed (%s %s unexpected)', what, array_to_string(names, ', '),
    case when cardinality(names) = 1 then 'was' else 'were' end)
$$;

-- Returns the message of a keyword that the instance violates and that has no subschemas.
create function @extschema@._jsonschema_message(schema jsonb, keyword text, instance jsonb, draft int) returns text
language plpgsql immutable parallel safe
as $$
declare
  shown constant text := @extschema@._jsonschema_text(instance);
  v constant jsonb := schema -> keyword;
  limit_text constant text := @extschema@._jsonschema_text(v);
  plural constant boolean := v is distinct from '1';
begin
  return case keyword
    when 'type' then case
      when jsonb_typeof(v) = 'array' and jsonb_array_length(v) > 1 then
        format('%s is not of types %s', shown, (select string_agg(each.value::text, ', ') from jsonb_array_elements(v) each))
      else format('%s is not of type %s', shown, case when jsonb_typeof(v) = 'array' then v -> 0 else v end)
    end
    when 'const' then limit_text || ' was expected'
    when 'enum' then shown || ' is not one of ' || case
      when jsonb_array_length(v) > 3 then format('%s, %s or %s other candidates', @extschema@._jsonschema_text(v -> 0),
        @extschema@._jsonschema_text(v -> 1), jsonb_array_length(v) - 2)
      else concat(@extschema@._jsonschema_text(v -> 0),
        case when jsonb_array_length(v) = 3 then ', ' || @extschema@._jsonschema_text(v -> 1) end,
        case when jsonb_array_length(v) > 1 then ' or ' || @extschema@._jsonschema_text(v -> -1) end)
    end
    when 'minimum' then case
      when draft = 4 and schema -> 'exclusiveMinimum' = 'true' then
        format('%s is less than or equal to the minimum of %s', shown, limit_text)
      else format('%s is less than the minimum of %s', shown, limit_text)
    end
    when 'maximum' then case
      when draft = 4 and schema -> 'exclusiveMaximum' = 'true' then
        format('%s is greater than or equal to the maximum of %s', shown, limit_text)
      else format('%s is greater than the maximum of %s', shown, limit_text)
    end
    when 'exclusiveMinimum' then format('%s is less than or equal to the minimum of %s', shown, limit_text)
    when 'exclusiveMaximum' then format('%s is greater than or equal to the maximum of %s', shown, limit_text)
    when 'multipleOf' then format('%s is not a multiple of %s', shown, limit_text)
    when 'minLength' then format('%s is shorter than %s character%s', shown, limit_text, case when plural then 's' end)
    when 'maxLength' then format('%s is longer than %s character%s', shown, limit_text, case when plural then 's' end)
    when 'minItems' then format('%s has less than %s item%s', shown, limit_text, case when plural then 's' end)
    when 'maxItems' then format('%s has more than %s item%s', shown, limit_text, case when plural then 's' end)
    when 'minProperties' then
      format('%s has less than %s propert%s', shown, limit_text, case when plural then 'ies' else 'y' end)
    when 'maxProperties' then
      format('%s has more than %s propert%s', shown, limit_text, case when plural then 'ies' else 'y' end)
    when 'pattern' then format('%s does not match "%s"', shown, v #>> '{}')
    when 'format' then format('%s is not a "%s"', shown, v #>> '{}')
    when 'contentEncoding' then format('%s is not compliant with "%s" content encoding', shown, v #>> '{}')
    when 'contentMediaType' then format('%s is not compliant with "%s" media type', shown, v #>> '{}')
    when 'uniqueItems' then shown || ' has non-unique elements'
    when 'contains' then format('None of %s are valid under the given schema', shown)
    when 'anyOf' then shown || ' is not valid under any of the schemas listed in the ''anyOf'' keyword'
    when 'not' then format('%s is not allowed for %s', limit_text, shown)
  end;
end
$$;

-- Lists the errors of an instance: the path of the invalid value as a JSON Pointer, and the message.
create function @extschema@._jsonschema_errors(
  schema jsonb, instance jsonb, path text, root jsonb, reg jsonb, base text, scope text[], draft int, depth int
) returns table (at text, message text)
language plpgsql immutable parallel safe
as $$
#variable_conflict use_variable
declare
  kind constant text := jsonb_typeof(instance);
  word text;
  part jsonb;
  positional jsonb;
  others jsonb;
  evaluated text[];
  known jsonb;
  found jsonb;
  child record;
begin
  depth := depth + 1;
  if schema = 'false' then
    return query select path, 'False schema does not allow ' || @extschema@._jsonschema_text(instance);
  end if;
  if jsonb_typeof(schema) <> 'object' or @extschema@._jsonschema_valid(schema, instance, root, reg, base, scope, draft, depth) then
    return;
  end if;
  if reg is not null then
    word := @extschema@._jsonschema_id(schema, draft);
    base := case when word is null then base else @extschema@._jsonschema_resolve_uri(base, word) end;
    scope := case when base <> scope[cardinality(scope)] then scope || base else scope end;
  end if;

  if draft > 7 or not schema ? '$ref' then
    -- A schema with only this keyword, and the keywords that belong to it, decides whether the keyword is violated.
    foreach word in array array['type', 'const', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum',
      'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'pattern',
      'format', 'contentEncoding', 'contentMediaType', 'uniqueItems', 'contains', 'anyOf', 'not'] loop
      if schema ? word then
        part := jsonb_build_object(word, schema -> word);
        part := part || case word
          when 'minimum' then case when draft = 4 and schema ? 'exclusiveMinimum'
            then jsonb_build_object('exclusiveMinimum', schema -> 'exclusiveMinimum') else '{}' end
          when 'maximum' then case when draft = 4 and schema ? 'exclusiveMaximum'
            then jsonb_build_object('exclusiveMaximum', schema -> 'exclusiveMaximum') else '{}' end
          when 'contentMediaType' then case when schema ? 'contentEncoding'
            then jsonb_build_object('contentEncoding', schema -> 'contentEncoding') else '{}' end
          when 'contains' then jsonb_strip_nulls(jsonb_build_object(
            'minContains', schema -> 'minContains', 'maxContains', schema -> 'maxContains'))
          else '{}'
        end;
        if not @extschema@._jsonschema_valid(part, instance, root, reg, base, scope, draft, depth)
          and (word <> 'contentMediaType' or @extschema@._jsonschema_valid(
            part - word, instance, root, reg, base, scope, draft, depth)) then
          return query select path, @extschema@._jsonschema_message(schema, word, instance, draft);
        end if;
      end if;
    end loop;

    if kind = 'object' then
      return query select path, to_json(name) || ' is a required property'
        from jsonb_array_elements_text(coalesce(schema -> 'required', '[]')) name where not instance ? name;
      for child in select * from jsonb_each(coalesce(schema -> 'properties', '{}')) each where instance ? each.key loop
        return query select * from @extschema@._jsonschema_errors(child.value, instance -> child.key,
          path || @extschema@._jsonschema_segment(child.key), root, reg, base, scope, draft, depth);
      end loop;
      for child in
        select pattern.value as schema, member.key, member.value
        from jsonb_each(coalesce(schema -> 'patternProperties', '{}')) pattern, jsonb_each(instance) member
        where member.key ~ @extschema@._jsonschema_regex(pattern.key)
      loop
        return query select * from @extschema@._jsonschema_errors(child.schema, child.value,
          path || @extschema@._jsonschema_segment(child.key), root, reg, base, scope, draft, depth);
      end loop;
      if schema -> 'additionalProperties' = 'false' then
        return query select path, @extschema@._jsonschema_unexpected('Additional properties', array_agg(
            '''' || name || '''' order by name collate "C"))
          from jsonb_object_keys(instance) name where not @extschema@._jsonschema_named(schema, name)
          having count(*) > 0;
      elsif schema ? 'additionalProperties' then
        for child in
          select member.* from jsonb_each(instance) member where not @extschema@._jsonschema_named(schema, member.key)
        loop
          return query select * from @extschema@._jsonschema_errors(schema -> 'additionalProperties', child.value,
            path || @extschema@._jsonschema_segment(child.key), root, reg, base, scope, draft, depth);
        end loop;
      end if;
      if schema ? 'propertyNames' and draft >= 6 then
        return query select path, e.message from jsonb_object_keys(instance) name,
          @extschema@._jsonschema_errors(
            schema -> 'propertyNames', to_jsonb(name), path, root, reg, base, scope, draft, depth) e;
      end if;
      for child in
        select each.* from jsonb_each(coalesce(schema -> 'dependencies', '{}')) each where instance ? each.key
        union all
        select each.* from jsonb_each(coalesce(schema -> 'dependentRequired', '{}')) each
        where instance ? each.key and draft >= 19
        union all
        select each.* from jsonb_each(coalesce(schema -> 'dependentSchemas', '{}')) each
        where instance ? each.key and draft >= 19
      loop
        if jsonb_typeof(child.value) = 'array' then
          return query select path, to_json(name) || ' is a required property'
            from jsonb_array_elements_text(child.value) name where not instance ? name;
        else
          return query select * from @extschema@._jsonschema_errors(
            child.value, instance, path, root, reg, base, scope, draft, depth);
        end if;
      end loop;
      if schema ? 'unevaluatedProperties' and draft >= 19 then
        evaluated := @extschema@._jsonschema_evaluated(
          schema - 'unevaluatedProperties', instance, root, reg, base, scope, draft, depth);
        return query select path, @extschema@._jsonschema_unexpected('Unevaluated properties', array_agg(
            '''' || member.key || '''' order by member.key collate "C"))
          from jsonb_each(instance) member
          where member.key <> all (evaluated) and not @extschema@._jsonschema_valid(
            schema -> 'unevaluatedProperties', member.value, root, reg, base, scope, draft, depth)
          having count(*) > 0;
      end if;
    elsif kind = 'array' then
      select * into positional, others from @extschema@._jsonschema_items(schema, draft);
      if others = 'false' and draft < 20 and positional is not null then
        return query select path, @extschema@._jsonschema_unexpected('Additional items', array_agg(
            @extschema@._jsonschema_text(each.value) order by position))
          from jsonb_array_elements(instance) with ordinality each (value, position)
          where position > jsonb_array_length(positional) having count(*) > 0;
        others := null;
      end if;
      for child in
        select coalesce(positional -> (each.position::int - 1), others) as schema, each.value, each.position
        from jsonb_array_elements(instance) with ordinality each (value, position)
      loop
        return query select * from @extschema@._jsonschema_errors(coalesce(child.schema, 'true'), child.value,
          path || '/' || (child.position - 1), root, reg, base, scope, draft, depth);
      end loop;
      if schema ? 'unevaluatedItems' and draft >= 19 then
        evaluated := @extschema@._jsonschema_evaluated(
          schema - 'unevaluatedItems', instance, root, reg, base, scope, draft, depth);
        return query select path, @extschema@._jsonschema_unexpected('Unevaluated items', array_agg(
            '''' || @extschema@._jsonschema_text(each.value) || '''' order by position))
          from jsonb_array_elements(instance) with ordinality each (value, position)
          where (position - 1)::text <> all (evaluated) and not @extschema@._jsonschema_valid(
            schema -> 'unevaluatedItems', each.value, root, reg, base, scope, draft, depth)
          having count(*) > 0;
      end if;
    end if;

    for child in select each.value from jsonb_array_elements(coalesce(schema -> 'allOf', '[]')) each loop
      return query select * from @extschema@._jsonschema_errors(
        child.value, instance, path, root, reg, base, scope, draft, depth);
    end loop;
    if schema ? 'oneOf' then
      return query select path, @extschema@._jsonschema_text(instance) || case count(*)
          when 0 then ' is not valid under any of the schemas listed in the ''oneOf'' keyword'
          else ' is valid under more than one of the schemas listed in the ''oneOf'' keyword'
        end
        from jsonb_array_elements(schema -> 'oneOf') each
        where @extschema@._jsonschema_valid(each.value, instance, root, reg, base, scope, draft, depth)
        having count(*) <> 1;
    end if;
    if schema ? 'if' and draft >= 7 then
      word := case
        when @extschema@._jsonschema_valid(schema -> 'if', instance, root, reg, base, scope, draft, depth) then 'then'
        else 'else'
      end;
      return query select * from @extschema@._jsonschema_errors(
        coalesce(schema -> word, 'true'), instance, path, root, reg, base, scope, draft, depth);
    end if;
  end if;

  foreach word in array array['$ref', case draft when 20 then '$dynamicRef' when 19 then '$recursiveRef' end] loop
    if jsonb_typeof(schema -> word) = 'string' then
      known := coalesce(reg, @extschema@._jsonschema_registry(root, draft));
      found := case word
        when '$ref' then @extschema@._jsonschema_find(schema ->> word, root, known, base, draft)
        else @extschema@._jsonschema_find_dynamic(schema ->> word, root, known, base, scope, draft)
      end;
      return query select * from @extschema@._jsonschema_errors(found -> 's', instance, path,
        coalesce(found -> 'root', root), case when not found ? 'root' then known end, found ->> 'b', scope,
        (found ->> 'd')::int, depth);
    end if;
  end loop;
end
$$;

-- Returns a property name as a segment of a JSON Pointer.
create function @extschema@._jsonschema_segment(name text) returns text
language sql immutable parallel safe
as $$ select '/' || replace(replace(name, '~', '~0'), '/', '~1') $$;
