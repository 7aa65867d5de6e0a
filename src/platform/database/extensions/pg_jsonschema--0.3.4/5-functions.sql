-- Returns the draft of a schema. Schemas without `$schema` use 2020-12.
create function @extschema@._jsonschema_draft_of(schema jsonb) returns int
language plpgsql immutable parallel safe
as $$
declare
  uri constant text := schema ->> '$schema';
  draft constant int := case when uri is null then 20 else @extschema@._jsonschema_draft(uri) end;
begin
  if draft is null then
    perform @extschema@._jsonschema_fault(format('Unknown meta-schema: %s', schema -> '$schema'));
  end if;
  return draft;
end
$$;

-- Returns the registry of a schema, or null if no identifier is below the top of the document.
create function @extschema@._jsonschema_registry_of(schema jsonb, source text, draft int) returns jsonb
language plpgsql immutable parallel safe
as $$
begin
  return case
    when strpos(source, 'nchor"') > 0 or strpos(source, '\u') > 0
      or strpos(substr(source, strpos(source, '"$id"') + 5), '"$id"') > 0
      or (draft = 4 and strpos(source, '"id"') > 0 and strpos(source, '"$ref"') > 0)
    then @extschema@._jsonschema_registry(schema, draft)
  end;
end
$$;

create function @extschema@._jsonschema_matches(schema jsonb, source text, instance jsonb) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  draft constant int := @extschema@._jsonschema_draft_of(schema);
  reg constant jsonb := @extschema@._jsonschema_registry_of(schema, source, draft);
begin
  return @extschema@._jsonschema_valid(
    schema, instance, schema, reg, case when reg is not null then '' end, '{""}', draft, 0);
end
$$;

-- Lists the errors of a schema. Since 2019-09, formats such as that of `pattern` are only checked if `is_strict` is set.
create function @extschema@._jsonschema_schema_errors(schema jsonb, is_strict boolean)
returns table (at text, message text)
language plpgsql immutable parallel safe
as $$
declare
  uri constant text := schema ->> '$schema';
  draft constant int := case when uri is null then 20 else @extschema@._jsonschema_draft(uri) end;
  meta constant jsonb := @extschema@._jsonschema_meta(draft);
begin
  if meta is null then
    return query select '', format('Unknown meta-schema: %s', schema -> '$schema');
  else
    return query select * from @extschema@._jsonschema_errors(meta, schema, '', meta, null, '', '{""}',
      case when is_strict or draft <= 7 then 7 else 20 end, 0);
  end if;
end
$$;

create function @extschema@._jsonschema_list_errors(schema jsonb, source text, instance jsonb) returns text[]
language plpgsql immutable parallel safe
as $$
declare
  draft int;
  reg jsonb;
  fault text;
begin
  select e.message into fault from @extschema@._jsonschema_schema_errors(schema, true) e limit 1;
  if fault is not null then
    return array[fault];
  end if;
  draft := @extschema@._jsonschema_draft_of(schema);
  reg := @extschema@._jsonschema_registry_of(schema, source, draft);
  return array(
    select e.message from @extschema@._jsonschema_errors(
      schema, instance, '', schema, reg, case when reg is not null then '' end, '{""}', draft, 0) e);
end
$$;

create function @extschema@.json_matches_schema(schema json, instance json) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_matches(schema::jsonb, schema::text, instance::jsonb); end $$;

create function @extschema@.jsonb_matches_schema(schema json, instance jsonb) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_matches(schema::jsonb, schema::text, instance); end $$;

create function @extschema@.jsonschema_is_valid(schema json) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  fault record;
begin
  select * into fault from @extschema@._jsonschema_schema_errors(schema::jsonb, false) limit 1;
  if found then
    raise notice 'Invalid JSON schema at path: %', fault.at;
  end if;
  return not found;
end
$$;

create function @extschema@.jsonschema_validation_errors(schema json, instance json) returns text[]
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_list_errors(schema::jsonb, schema::text, instance::jsonb); end $$;

-- The original's `jsonschema` type contains a compiled schema. Here it is a checked jsonb value, which is already parsed.
create function @extschema@._jsonschema_is_checked(schema jsonb) returns boolean
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  fault record;
begin
  select * into fault from @extschema@._jsonschema_schema_errors(schema, true) limit 1;
  if found then
    perform @extschema@._jsonschema_fault(fault.message);
  end if;
  return true;
end
$$;

create domain @extschema@.jsonschema as jsonb check (@extschema@._jsonschema_is_checked(value));

create function @extschema@.jsonschema_from_json(schema json) returns @extschema@.jsonschema
language sql immutable strict parallel safe
as $$ select schema::jsonb::@extschema@.jsonschema $$;

create function @extschema@.jsonschema_from_jsonb(schema jsonb) returns @extschema@.jsonschema
language sql immutable strict parallel safe
as $$ select schema::@extschema@.jsonschema $$;

create function @extschema@.json_matches_compiled_schema(schema @extschema@.jsonschema, instance json) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_matches(schema, schema::text, instance::jsonb); end $$;

create function @extschema@.jsonb_matches_compiled_schema(schema @extschema@.jsonschema, instance jsonb) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_matches(schema, schema::text, instance); end $$;

create function @extschema@.json_validation_errors_compiled(schema @extschema@.jsonschema, instance json) returns text[]
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_list_errors(schema, schema::text, instance::jsonb); end $$;

create function @extschema@.jsonb_validation_errors_compiled(schema @extschema@.jsonschema, instance jsonb) returns text[]
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$ begin return @extschema@._jsonschema_list_errors(schema, schema::text, instance); end $$;
