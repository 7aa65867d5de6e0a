-- Functions for policies (path parts, the current operation), the triggers on buckets and objects, and the functions
-- that list a folder.

set local role supabase_storage_admin;

create function storage.foldername(name text) returns text[]
language sql immutable
return (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1];

create function storage.filename(name text) returns text
language sql immutable
return (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)];

-- Returns the file extension. As in upstream, returns the whole last segment if it contains no dot.
create function storage.extension(name text) returns text
language sql immutable
return reverse(split_part(reverse((string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]), '.', 1));

-- Returns the name of the operation that the HTTP route performs, such as storage.object.upload. Returns null outside a
-- request.
create function storage.operation() returns text
language sql stable
return current_setting('storage.operation', true);

create function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable
return coalesce(
  regexp_replace(storage.operation(), '^storage\.', '') = any (
    select regexp_replace(expected, '^storage\.', '')
    from unnest(expected_operations) as expected
    where expected <> ''
  ),
  false
);

create function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable
return storage.allow_any_operation(array[expected_operation]);

-- Part of upstream's API. Always raises an error: PT200 if the caller's policies would accept the row, otherwise the
-- error of the insert.
create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (bucketid, can_insert_object.name, can_insert_object.owner, can_insert_object.metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end;
$$;

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable
as $$
  select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id
$$;

create function storage.update_updated_at_column() returns trigger
language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end;
$$;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create function storage.enforce_bucket_name_length() returns trigger
language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end;
$$;
create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

-- Prevents users from deleting rows directly, because the bytes of the objects would remain. The server sets
-- storage.allow_delete_query for its own statements.
create function storage.protect_delete() returns trigger
language plpgsql as $$
begin
  if current_setting('storage.allow_delete_query', true) is distinct from 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501', hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end;
$$;
create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();

-- Functions that list a folder. They scan an index in C collation and, at the first key of a subfolder, skip the whole
-- subfolder. The cost therefore depends on the number of returned lines instead of the number of objects. The functions
-- run as their caller, so row-level security applies. Prefixes are literal text, not patterns.

-- Returns the part of a key up to the first delimiter after the prefix. For example, 'a/b/c' with prefix 'a/' and
-- delimiter '/' results in 'a/b/'. Returns null for a key without a delimiter after the prefix.
create function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
language sql immutable
return left(
  p_key,
  length(p_prefix)
    + nullif(position(p_delimiter in substring(p_key from length(p_prefix) + 1)), 0)
    + length(p_delimiter) - 1
);

-- Returns folders without their last delimiter and with a null ID. If the cursor ends with the delimiter, it denotes a
-- folder. Any other cursor denotes an object or, if the object doesn't exist, the folder with that name.
create function storage.list_objects_with_delimiter(
  _bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  start_after text default '',
  next_token text default '',
  sort_order text default 'asc'
) returns table (
  name text,
  id uuid,
  metadata jsonb,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz
)
language plpgsql stable
as $$
declare
  ascending constant boolean := lower(coalesce(sort_order, 'asc')) = 'asc';
  first_key constant text := coalesce(prefix_param, '');
  -- This is the upper bound of all keys with the prefix, because U+10FFFF sorts after every other character.
  end_key constant text := first_key || chr(1114111);
  after_folder constant text := chr(ascii(right(delimiter_param, 1)) + 1);
  cursor_key text := coalesce(nullif(next_token, ''), start_after, '');
  seek text;
  folder text;
  shown integer := 0;
  jumped boolean;
  o record;
begin
  if cursor_key <> '' and right(cursor_key, length(delimiter_param)) <> delimiter_param
    and not exists (select from storage.objects x where x.bucket_id = _bucket_id and x.name = cursor_key)
    and exists (
      select from storage.objects x
      where x.bucket_id = _bucket_id
        and x.name collate "C" >= cursor_key || delimiter_param
        and x.name collate "C" < cursor_key || delimiter_param || chr(1114111)
    )
  then
    cursor_key := cursor_key || delimiter_param;
  end if;

  if not ascending then
    seek := case when cursor_key = '' then end_key else cursor_key end;
  elsif cursor_key = '' then
    seek := first_key;
  elsif right(cursor_key, length(delimiter_param)) = delimiter_param and length(cursor_key) > length(first_key) then
    seek := left(cursor_key, -1) || after_folder;
  else
    seek := greatest(cursor_key || chr(1) collate "C", first_key collate "C");
  end if;

  while shown < max_keys loop
    jumped := false;
    if ascending then
      for o in
        select x.name, x.id, x.metadata, x.updated_at, x.created_at, x.last_accessed_at
        from storage.objects x
        where x.bucket_id = _bucket_id and x.name collate "C" >= seek and x.name collate "C" < end_key
        order by x.name collate "C"
      loop
        folder := storage.get_common_prefix(o.name, first_key, delimiter_param);
        if folder is not null then
          seek := left(folder, -1) || after_folder;
          jumped := true;
          exit;
        end if;
        name := o.name; id := o.id; metadata := o.metadata;
        updated_at := o.updated_at; created_at := o.created_at; last_accessed_at := o.last_accessed_at;
        return next;
        shown := shown + 1;
        exit when shown >= max_keys;
      end loop;
    else
      for o in
        select x.name, x.id, x.metadata, x.updated_at, x.created_at, x.last_accessed_at
        from storage.objects x
        where x.bucket_id = _bucket_id and x.name collate "C" < seek and x.name collate "C" >= first_key
        order by x.name collate "C" desc
      loop
        folder := storage.get_common_prefix(o.name, first_key, delimiter_param);
        if folder is not null then
          seek := folder;
          jumped := true;
          exit;
        end if;
        name := o.name; id := o.id; metadata := o.metadata;
        updated_at := o.updated_at; created_at := o.created_at; last_accessed_at := o.last_accessed_at;
        return next;
        shown := shown + 1;
        exit when shown >= max_keys;
      end loop;
    end if;
    exit when not jumped;

    name := left(folder, -length(delimiter_param)); id := null; metadata := null;
    updated_at := null; created_at := null; last_accessed_at := null;
    return next;
    shown := shown + 1;
  end loop;
end;
$$;

-- Lists a folder by timestamp. A folder's timestamp is that of its oldest object. Ties and cursors are ordered by whole
-- milliseconds, as in JSON dates, and then by name. A folder's name ends with a slash.
create function storage.search_by_timestamp(
  p_prefix text,
  p_bucket_id text,
  p_limit integer,
  p_level integer,
  p_start_after text,
  p_sort_order text,
  p_sort_column text,
  p_sort_column_after text
) returns table (
  key text,
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language sql stable
as $$
  with found as (
    select o.*, storage.get_common_prefix(o.name, coalesce(p_prefix, ''), '/') as folder
    from storage.objects o
    where o.bucket_id = p_bucket_id
      and o.name collate "C" >= coalesce(p_prefix, '')
      and o.name collate "C" < coalesce(p_prefix, '') || chr(1114111)
  ),
  line as (
    select f.folder as path, left(f.folder, -1) as name, null::uuid as id, min(f.created_at) as updated_at,
      min(f.created_at) as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
    from found f
    where f.folder is not null
    group by f.folder
    union all
    select f.name, f.name, f.id, f.updated_at, f.created_at, f.last_accessed_at, f.metadata
    from found f
    where f.folder is null
  ),
  placed as (
    select l.*, coalesce(
      date_trunc('milliseconds', case p_sort_column when 'updated_at' then l.updated_at else l.created_at end),
      'epoch'
    ) as moment
    from line l
  )
  select split_part(p.name, '/', p_level), p.name, p.id, p.updated_at, p.created_at, p.last_accessed_at, p.metadata
  from placed p
  where coalesce(p_start_after, '') = ''
    or case p_sort_order
      when 'desc' then (p.moment, p.path collate "C") <
        (coalesce(nullif(p_sort_column_after, '')::timestamptz, 'epoch'), p_start_after)
      else (p.moment, p.path collate "C") >
        (coalesce(nullif(p_sort_column_after, '')::timestamptz, 'epoch'), p_start_after)
    end
  order by
    case when p_sort_order = 'desc' then p.moment end desc,
    case when p_sort_order = 'desc' then p.path end collate "C" desc,
    p.moment,
    p.path collate "C"
  limit p_limit
$$;

create function storage.search_v2(
  prefix text,
  bucket_name text,
  limits integer default 100,
  levels integer default 1,
  start_after text default '',
  sort_order text default 'asc',
  sort_column text default 'name',
  sort_column_after text default ''
) returns table (
  key text,
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
as $$
declare
  line_limit constant integer := least(coalesce(limits, 100), 1500);
  direction constant text := case when lower(sort_order) = 'desc' then 'desc' else 'asc' end;
begin
  if lower(sort_column) in ('created_at', 'updated_at') then
    return query
      select * from storage.search_by_timestamp(
        search_v2.prefix, bucket_name, line_limit, levels, search_v2.start_after,
        direction, lower(sort_column), sort_column_after
      );
  else
    return query
      select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
      from storage.list_objects_with_delimiter(
        bucket_name, search_v2.prefix, '/', line_limit, search_v2.start_after, '', direction
      ) l;
  end if;
end;
$$;

-- List v1: returns pages by offset. Matches names case-insensitively and returns them relative to the prefix. If the
-- list isn't sorted by name, folders come first. `levels` is unused and kept only for callers that pass it.
create function storage.search(
  prefix text,
  bucketname text,
  limits integer default 100,
  levels integer default 1,
  offsets integer default 0,
  search text default '',
  sortcolumn text default 'name',
  sortorder text default 'asc'
) returns table (
  name text,
  id uuid,
  updated_at timestamptz,
  created_at timestamptz,
  last_accessed_at timestamptz,
  metadata jsonb
)
language plpgsql stable
as $$
declare
  line_limit constant integer := least(coalesce(limits, 100), 1500);
  ascending constant boolean := lower(coalesce(sortorder, 'asc')) <> 'desc';
  sort_key constant text := lower(coalesce(sortcolumn, 'name'));
  base_length constant integer := length(coalesce(prefix, ''));
  whole_prefix constant text := coalesce(prefix, '') || coalesce(search.search, '');
  first_key constant text := lower(whole_prefix);
  end_key constant text := first_key || chr(1114111);
  to_skip integer := coalesce(offsets, 0);
  shown integer := 0;
  seek text := case when ascending then first_key else end_key end;
  folder text;
  jumped boolean;
  o record;
begin
  if sort_key in ('created_at', 'updated_at', 'last_accessed_at') then
    return query
      with found as (
        select x.*, storage.get_common_prefix(x.name, whole_prefix, '/') as folder
        from storage.objects x
        where x.bucket_id = bucketname
          and lower(x.name) collate "C" >= first_key and lower(x.name) collate "C" < end_key
      ),
      line as (
        select substring(left(f.folder, -1) from base_length + 1) as line_name, null::uuid as line_id,
          null::timestamptz as line_updated_at, null::timestamptz as line_created_at,
          null::timestamptz as line_last_accessed_at, null::jsonb as line_metadata, null::timestamptz as moment
        from found f where f.folder is not null group by f.folder
        union all
        select substring(f.name from base_length + 1), f.id, f.updated_at, f.created_at, f.last_accessed_at, f.metadata,
          case sort_key
            when 'created_at' then f.created_at
            when 'updated_at' then f.updated_at
            else f.last_accessed_at
          end
        from found f where f.folder is null
      )
      select l.line_name, l.line_id, l.line_updated_at, l.line_created_at, l.line_last_accessed_at, l.line_metadata
      from line l
      order by l.line_id is not null,
        case when ascending then l.moment end,
        case when ascending then l.line_name end,
        l.moment desc,
        l.line_name desc
      limit line_limit offset to_skip;
    return;
  end if;

  while shown < line_limit loop
    jumped := false;
    if ascending then
      for o in
        select x.name, x.id, x.updated_at, x.created_at, x.last_accessed_at, x.metadata
        from storage.objects x
        where x.bucket_id = bucketname and lower(x.name) collate "C" >= seek and lower(x.name) collate "C" < end_key
        order by lower(x.name) collate "C"
      loop
        folder := storage.get_common_prefix(o.name, whole_prefix, '/');
        if folder is not null then
          seek := lower(left(folder, -1)) || '0'; -- the character behind the slash
          jumped := true;
          exit;
        end if;
        if to_skip > 0 then
          to_skip := to_skip - 1;
        else
          name := substring(o.name from base_length + 1); id := o.id; metadata := o.metadata;
          updated_at := o.updated_at; created_at := o.created_at; last_accessed_at := o.last_accessed_at;
          return next;
          shown := shown + 1;
          exit when shown >= line_limit;
        end if;
      end loop;
    else
      for o in
        select x.name, x.id, x.updated_at, x.created_at, x.last_accessed_at, x.metadata
        from storage.objects x
        where x.bucket_id = bucketname and lower(x.name) collate "C" < seek and lower(x.name) collate "C" >= first_key
        order by lower(x.name) collate "C" desc
      loop
        folder := storage.get_common_prefix(o.name, whole_prefix, '/');
        if folder is not null then
          seek := lower(folder);
          jumped := true;
          exit;
        end if;
        if to_skip > 0 then
          to_skip := to_skip - 1;
        else
          name := substring(o.name from base_length + 1); id := o.id; metadata := o.metadata;
          updated_at := o.updated_at; created_at := o.created_at; last_accessed_at := o.last_accessed_at;
          return next;
          shown := shown + 1;
          exit when shown >= line_limit;
        end if;
      end loop;
    end if;
    exit when not jumped;

    if to_skip > 0 then
      to_skip := to_skip - 1;
    else
      name := substring(left(folder, -1) from base_length + 1); id := null; metadata := null;
      updated_at := null; created_at := null; last_accessed_at := null;
      return next;
      shown := shown + 1;
    end if;
  end loop;
end;
$$;

-- Lists unfinished multipart uploads, with keys grouped by the delimiter. The list continues after the upload in
-- next_upload_token or, if that isn't set, after the key or common prefix in next_key_token.
create function storage.list_multipart_uploads_with_delimiter(
  bucket_id text,
  prefix_param text,
  delimiter_param text,
  max_keys integer default 100,
  next_key_token text default '',
  next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz)
language sql stable
as $$
  with line as (
    select coalesce(storage.get_common_prefix(u.key, coalesce(prefix_param, ''), delimiter_param), u.key) collate "C"
        as line_key,
      u.id, u.created_at
    from storage.s3_multipart_uploads u
    where u.bucket_id = list_multipart_uploads_with_delimiter.bucket_id
      and starts_with(u.key, coalesce(prefix_param, ''))
  )
  select distinct on (l.line_key) l.line_key, l.id, l.created_at
  from line l
  where case
    when coalesce(next_upload_token, '') <> '' then l.id collate "C" > next_upload_token
    else coalesce(next_key_token, '') = '' or l.line_key > next_key_token
  end
  order by l.line_key, l.created_at
  limit max_keys
$$;

-- The functions below write to Plinth's tables. They run with the privileges of the service's role, because they
-- receive rows of storage.objects, and because the caller's role has no access to these tables. The role needs CREATE
-- on the schema only to create the function.
reset role;
grant create on schema _plinth to supabase_storage_admin;
set local role supabase_storage_admin;

-- Stores a checksum in the transaction that writes the row.
create function storage.plinth_keep_checksum(id uuid, algorithm text, type text, value text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into _plinth.storage_checksums (id, algorithm, type, value) values ($1, $2, $3, $4);
$$;
revoke all on function storage.plinth_keep_checksum(uuid, text, text, text) from public, anon, authenticated, postgres;
grant execute on function storage.plinth_keep_checksum(uuid, text, text, text) to service_role;

-- Records an event. Changes are recorded only if the storage service makes them and a webhook is configured, which the
-- storage.events setting indicates.
create function _plinth.note_storage_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  running constant text := coalesce(current_setting('storage.operation', true), '');
  upload_type constant text := case
    when running like 'storage.tus.%' then 'resumable'
    when running like 'storage.s3.%' then 's3'
    else 'standard'
  end;
  gone jsonb;
  made jsonb;
begin
  if tg_op <> 'INSERT' then
    gone := jsonb_build_object(
      'bucketId', old.bucket_id, 'name', old.name, 'version', old.version, 'metadata', old.metadata);
  end if;
  if tg_op = 'DELETE' then
    insert into _plinth.storage_events (type, payload) values ('ObjectRemoved:Delete', gone);
    return null;
  end if;
  made := jsonb_build_object(
    'bucketId', new.bucket_id, 'name', new.name, 'version', new.version, 'metadata', new.metadata,
    'uploadType', upload_type);
  if tg_op = 'UPDATE' and new.version is not distinct from old.version then
    insert into _plinth.storage_events (type, payload)
    values ('ObjectRemoved:Move', gone), ('ObjectCreated:Move', made || jsonb_build_object('oldObject', gone));
  else
    insert into _plinth.storage_events (type, payload)
    values (
      case
        when running like '%.copy' then 'ObjectCreated:Copy'
        when tg_op = 'UPDATE' then 'ObjectCreated:Put'
        else 'ObjectCreated:Post'
      end,
      made);
  end if;
  return null;
end;
$$;
revoke all on function _plinth.note_storage_event() from public;

create trigger plinth_note_insert after insert on storage.objects
  for each row when (current_setting('storage.events', true) = 'on')
  execute function _plinth.note_storage_event();
create trigger plinth_note_update after update on storage.objects
  for each row when (
    current_setting('storage.events', true) = 'on'
    and (old.version, old.bucket_id, old.name) is distinct from (new.version, new.bucket_id, new.name))
  execute function _plinth.note_storage_event();
create trigger plinth_note_delete after delete on storage.objects
  for each row when (current_setting('storage.events', true) = 'on')
  execute function _plinth.note_storage_event();

reset role;
revoke create on schema _plinth from supabase_storage_admin;
