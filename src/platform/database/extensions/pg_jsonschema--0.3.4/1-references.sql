-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- JSON Schema in SQL. The functions are as immutable as the original's, need no process besides PostgreSQL, and run with
-- the privileges of the caller. The entry points (5-functions.sql) set `search_path`, which the other functions inherit.
--
-- All functions share these parameters:
--   schema   the schema or subschema
--   instance the value to validate
--   root     the document that `#/...` references start from
--   reg      the registry of identifiers (`_jsonschema_registry`), or null for documents that don't need one
--   base     the URI of the surrounding schema resource, or null without a registry
--   scope    the URIs of the schema resources that the validation has entered, outermost first
--   draft    4, 6, 7, 19 (2019-09) or 20 (2020-12)

-- Splits a URI reference as in RFC 3986, appendix B: scheme, authority, path, query and fragment. Missing components are
-- null.
create function @extschema@._jsonschema_uri_parts(uri text) returns text[]
language sql immutable strict parallel safe
as $$
  select array[parts[2], parts[4], parts[5], parts[7], parts[9]]
  from regexp_match(uri, '^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$') as parts
$$;

-- Resolves a URI reference against a base URI (RFC 3986, section 5.2). The fragment is dropped.
create function @extschema@._jsonschema_resolve_uri(base text, reference text) returns text
language plpgsql immutable parallel safe
as $$
declare
  r constant text[] := @extschema@._jsonschema_uri_parts(reference);
  b text[];
  path text;
  segments text[] := '{}';
  segment text;
begin
  if r[1] is not null or coalesce(base, '') = '' then
    return regexp_replace(reference, '#.*$', '');
  end if;
  b := @extschema@._jsonschema_uri_parts(base);
  if r[2] is not null then
    return b[1] || '://' || r[2] || r[3] || coalesce('?' || r[4], '');
  end if;
  if r[3] = '' then
    return regexp_replace(base, '[?#].*$', '') || coalesce('?' || coalesce(r[4], b[4]), '');
  end if;
  path := case
    when left(r[3], 1) = '/' then r[3]
    when b[3] = '' and b[2] is not null then '/' || r[3]
    else regexp_replace(b[3], '[^/]*$', '') || r[3]
  end;
  foreach segment in array string_to_array(path, '/') loop
    if segment = '..' then
      segments := case when cardinality(segments) > 1 then trim_array(segments, 1) else segments end;
    elsif segment <> '.' then
      segments := segments || segment;
    end if;
  end loop;
  path := array_to_string(segments, '/') || case when path ~ '/\.\.?$' then '/' else '' end;
  return coalesce(b[1] || ':', '') || coalesce('//' || b[2], '') || path || coalesce('?' || r[4], '');
end
$$;

-- Decodes %XX in a fragment.
create function @extschema@._jsonschema_unescape(fragment text) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  bytes bytea := '';
  part text;
begin
  if strpos(fragment, '%') = 0 then
    return fragment;
  end if;
  for part in select m[1] from regexp_matches(fragment, '(%[0-9A-Fa-f]{2}|[^%]+|%)', 'g') as m loop
    bytes := bytes || case
      when part ~ '^%..$' then decode(substr(part, 2), 'hex')
      else convert_to(part, 'UTF8')
    end;
  end loop;
  return convert_from(bytes, 'UTF8');
end
$$;

-- Maps the URI of a meta-schema to a draft. Returns null for other URIs.
create function @extschema@._jsonschema_draft(uri text) returns int
language sql immutable parallel safe
as $$
  select case regexp_replace(uri, '^https?:|#$', '', 'g')
    when '//json-schema.org/draft-04/schema' then 4
    when '//json-schema.org/draft-06/schema' then 6
    when '//json-schema.org/draft-07/schema' then 7
    when '//json-schema.org/draft/2019-09/schema' then 19
    when '//json-schema.org/draft/2020-12/schema' then 20
  end
$$;

-- Lists the subschemas of a schema, without those inside of them.
create function @extschema@._jsonschema_children(schema jsonb) returns setof jsonb
language sql immutable strict parallel safe
as $$
  select k.value from jsonb_each(case when jsonb_typeof(schema) = 'object' then schema else '{}' end) k
  where k.key in (
    'additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not',
    'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'
  ) and jsonb_typeof(k.value) = 'object'
  union all
  select item from jsonb_each(case when jsonb_typeof(schema) = 'object' then schema else '{}' end) k,
    jsonb_array_elements(case when jsonb_typeof(k.value) = 'array' then k.value else '[]' end) item
  where k.key in ('allOf', 'anyOf', 'items', 'oneOf', 'prefixItems') and jsonb_typeof(item) = 'object'
  union all
  select member.value from jsonb_each(case when jsonb_typeof(schema) = 'object' then schema else '{}' end) k,
    jsonb_each(case when jsonb_typeof(k.value) = 'object' then k.value else '{}' end) member
  where k.key in ('$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties')
    and jsonb_typeof(member.value) = 'object'
$$;

-- Returns the identifier that makes a schema a resource with its own base URI, or null. Through draft 7, `$ref` disables
-- the other keywords beside it, and an identifier that is only a fragment is an anchor.
create function @extschema@._jsonschema_id(schema jsonb, draft int) returns text
language sql immutable parallel safe
as $$
  select case
    when draft <= 7 and schema ? '$ref' then null
    when jsonb_typeof(schema -> case when draft = 4 then 'id' else '$id' end) <> 'string' then null
    when draft <= 7 and left(schema ->> case when draft = 4 then 'id' else '$id' end, 1) = '#' then null
    else schema ->> case when draft = 4 then 'id' else '$id' end
  end
$$;

-- Lists the schemas with an identifier below `schema`: the URI, the schema, and for anchors whether they are dynamic.
create function @extschema@._jsonschema_identified(schema jsonb, base text, draft int)
returns table (uri text, target jsonb)
language plpgsql immutable parallel safe
as $$
declare
  id constant text := @extschema@._jsonschema_id(schema, draft);
  own constant int := coalesce(case when id is not null then @extschema@._jsonschema_draft(schema ->> '$schema') end, draft);
  here constant text := case when id is null then base else @extschema@._jsonschema_resolve_uri(base, id) end;
  child jsonb;
begin
  if id is not null then
    return query select here, jsonb_build_object('s', schema, 'b', base, 'd', own);
  end if;
  if own <= 7 and jsonb_typeof(schema -> case when own = 4 then 'id' else '$id' end) = 'string' and id is null
    and not schema ? '$ref' then
    return query select here || (schema ->> case when own = 4 then 'id' else '$id' end),
      jsonb_build_object('s', schema, 'b', base, 'd', own);
  end if;
  if own >= 19 and jsonb_typeof(schema -> '$anchor') = 'string' then
    return query select here || '#' || (schema ->> '$anchor'), jsonb_build_object('s', schema, 'b', base, 'd', own);
  end if;
  if own >= 20 and jsonb_typeof(schema -> '$dynamicAnchor') = 'string' then
    return query select here || '#' || (schema ->> '$dynamicAnchor'),
      jsonb_build_object('s', schema, 'b', base, 'd', own, 'dynamic', true);
  end if;
  for child in select * from @extschema@._jsonschema_children(schema) loop
    return query select * from @extschema@._jsonschema_identified(child, here, own);
  end loop;
end
$$;

-- Returns the registry of a document: for each URI and anchor, the schema (`s`), the base URI around it (`b`), the draft
-- (`d`) and whether the anchor is dynamic. The document itself is registered under its own URI.
create function @extschema@._jsonschema_registry(root jsonb, draft int) returns jsonb
language sql immutable parallel safe
as $$
  select jsonb_build_object('', jsonb_build_object('s', root, 'b', '', 'd', draft))
    || coalesce((select jsonb_object_agg(uri, target) from @extschema@._jsonschema_identified(root, '', draft)), '{}')
$$;

-- Returns the base URI of a document.
create function @extschema@._jsonschema_base(root jsonb, draft int) returns text
language sql immutable parallel safe
as $$
  select coalesce(@extschema@._jsonschema_resolve_uri('', case when jsonb_typeof(root) = 'object' then
    @extschema@._jsonschema_id(root, draft) end), '')
$$;

-- Finds the schema that a reference names. The result is an object: the schema (`s`), the base URI around it (`b`), the
-- draft (`d`), and if the schema belongs to a meta-schema, that document (`root`).
create function @extschema@._jsonschema_find(reference text, root jsonb, reg jsonb, base text, draft int) returns jsonb
language plpgsql immutable parallel safe
as $$
declare
  uri constant text :=
    @extschema@._jsonschema_resolve_uri(coalesce(base, @extschema@._jsonschema_base(root, draft)), reference);
  fragment constant text :=
    @extschema@._jsonschema_unescape(coalesce((@extschema@._jsonschema_uri_parts(reference))[5], ''));
  found jsonb := reg -> uri;
  document jsonb;
  target jsonb;
  around text;
  id text;
  token text;
begin
  if left(fragment, 1) not in ('', '/') then
    found := reg -> (uri || '#' || fragment);
    if found is null then
      perform @extschema@._jsonschema_fault(format('Unresolvable reference: %s', reference));
    end if;
    return found;
  end if;
  if found is null then
    document := @extschema@._jsonschema_meta(@extschema@._jsonschema_draft(uri));
    if document is null then
      perform @extschema@._jsonschema_fault(format('Unresolvable reference: %s', reference));
    end if;
    found := jsonb_build_object('s', document, 'b', '', 'd', 7, 'root', document);
  end if;
  if fragment = '' then
    return found;
  end if;
  target := found -> 's';
  around := found ->> 'b';
  foreach token in array (string_to_array(fragment, '/'))[2:] loop
    id := case when jsonb_typeof(target) = 'object' then @extschema@._jsonschema_id(target, (found ->> 'd')::int) end;
    around := case when id is null then around else @extschema@._jsonschema_resolve_uri(around, id) end;
    token := replace(replace(token, '~1', '/'), '~0', '~');
    target := case jsonb_typeof(target)
      when 'object' then target -> token
      when 'array' then case when token ~ '^(0|[1-9][0-9]{0,8})$' then target -> token::int end
    end;
    if target is null then
      perform @extschema@._jsonschema_fault(format('Pointer %s does not exist', quote_literal(fragment)));
    end if;
  end loop;
  return found || jsonb_build_object('s', target, 'b', around);
end
$$;

-- Finds the schema of `$dynamicRef` or `$recursiveRef`: the outermost one in the dynamic scope that has the same dynamic
-- anchor as the schema that the reference names, or else that schema.
create function @extschema@._jsonschema_find_dynamic(
  reference text, root jsonb, reg jsonb, base text, scope text[], draft int
) returns jsonb
language plpgsql immutable parallel safe
as $$
declare
  found constant jsonb := @extschema@._jsonschema_find(reference, root, reg, base, draft);
  uri text;
begin
  if draft = 19 then
    if found #> '{s,$recursiveAnchor}' is distinct from 'true' then
      return found;
    end if;
    foreach uri in array scope loop
      if reg #> array[uri, 's', '$recursiveAnchor'] = 'true' then
        return reg -> uri;
      end if;
    end loop;
  elsif (found ->> 'dynamic')::boolean then
    foreach uri in array scope loop
      if (reg #>> array[uri || regexp_replace(reference, '^[^#]*', ''), 'dynamic'])::boolean then
        return reg -> (uri || regexp_replace(reference, '^[^#]*', ''));
      end if;
    end loop;
  end if;
  return found;
end
$$;

-- Raises the error for a schema that can't be used.
create function @extschema@._jsonschema_fault(reason text) returns void
language plpgsql immutable parallel safe
as $$
begin
  raise exception using errcode = '22023', message = 'Invalid schema: ' || reason;
end
$$;
