-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Sends a request and returns its response synchronously. Plinth's server process sends the request. The functions
-- connect to that process with dblink, through a socket in PostgreSQL's own folder. Names and types are those of
-- pgsql-http 1.6.
create domain @extschema@.http_method as text;
create domain @extschema@.content_type as text check (value ~ '^\S+\/\S+');
create type @extschema@.http_header as (field varchar, value varchar);
create type @extschema@.http_response as (
  status int,
  content_type varchar,
  headers @extschema@.http_header[],
  content varchar
);
create type @extschema@.http_request as (
  method @extschema@.http_method,
  uri varchar,
  headers @extschema@.http_header[],
  content_type varchar,
  content varchar
);

create function @extschema@._http_dblink(text, text) returns setof record
language c strict
as '$libdir/dblink', 'dblink_record';
-- The privilege is revoked from every grantee, because a schema's default privileges can also include named roles.
do $$
declare
  grantee text;
begin
  revoke all on function @extschema@._http_dblink(text, text) from public;
  for grantee in
    select distinct acl.grantee::regrole::text from pg_proc p, aclexplode(p.proacl) acl
    where p.oid = '@extschema@._http_dblink(text, text)'::regprocedure and acl.grantee <> p.proowner
  loop
    execute format('revoke all on function @extschema@._http_dblink(text, text) from %s', grantee);
  end loop;
end
$$;

-- Only this function requires a superuser: a superuser's dblink connection doesn't need a password. The project owns
-- the schema and could rename it, then create another schema with the same name. This function body is parsed when it
-- is created and therefore references the function itself, whereas a name would be resolved on each call. The process
-- listens beside the server's own socket, under a number derived from the database. dblink first looks for a named
-- connection and then for a foreign server whose name is the start of the connection string. The project can create
-- both, so that start is random.
create function @extschema@._http_ask(question text) returns text
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select reply.text from @extschema@._http_dblink(
    format('application_name=%s host=''%s'' port=%s user=plinth dbname=plinth gssencmode=disable',
      replace(gen_random_uuid()::text, '-', ''),
      replace(replace(trim(both '"' from split_part(current_setting('unix_socket_directories'), ',', 1)) || '/bridge',
        '\', '\\'), '''', '\'''),
      ('x' || substr(md5(current_database()), 1, 4))::bit(16)::int | 1),
    question) as reply (text text);
end;

-- http_set_curlopt stores each option in a setting of the session.
create function @extschema@.http_set_curlopt(curlopt varchar, value varchar) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if upper(curlopt) not in ('CURLOPT_TIMEOUT', 'CURLOPT_TIMEOUT_MS', 'CURLOPT_CONNECTTIMEOUT', 'CURLOPT_CONNECTTIMEOUT_MS',
    'CURLOPT_USERAGENT', 'CURLOPT_USERPWD', 'CURLOPT_TCP_KEEPALIVE', 'CURLOPT_TCP_KEEPIDLE') then
    raise exception 'curl option ''%'' is not available for run-time configuration', curlopt;
  end if;
  if upper(curlopt) ~ 'TIMEOUT' and value !~ '^[0-9]{1,9}$' then
    raise exception 'curl option ''%'' takes a number', curlopt;
  end if;
  perform set_config('http.' || lower(curlopt), value, false);
  return true;
end
$$;

create function @extschema@.http_list_curlopt() returns table (curlopt text, value text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select option, current_setting('http.' || lower(option), true)
  from unnest(array['CURLOPT_CONNECTTIMEOUT', 'CURLOPT_CONNECTTIMEOUT_MS', 'CURLOPT_TCP_KEEPALIVE', 'CURLOPT_TCP_KEEPIDLE',
    'CURLOPT_TIMEOUT', 'CURLOPT_TIMEOUT_MS', 'CURLOPT_USERAGENT', 'CURLOPT_USERPWD']) as option
  where current_setting('http.' || lower(option), true) <> ''
$$;

create function @extschema@.http_reset_curlopt() returns boolean
language sql
as $$
  select coalesce(pg_catalog.bool_and(pg_catalog.set_config('http.' || pg_catalog.lower(curlopt), '', false) = ''), true)
  from @extschema@.http_list_curlopt()
$$;

create function @extschema@.http_header(field varchar, value varchar) returns @extschema@.http_header
language sql
as $$ select $1, $2 $$;

create function @extschema@.http_headers(variadic args text[]) returns @extschema@.http_header[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(args) % 2 <> 0 then
    raise exception 'http_headers takes names and values in turn';
  end if;
  return array(
    select row(args[n], args[n + 1])::@extschema@.http_header from generate_series(1, cardinality(args), 2) n order by n);
end
$$;

create function @extschema@.http(request @extschema@.http_request) returns @extschema@.http_response
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  headers jsonb;
  options constant jsonb := (select coalesce(jsonb_object_agg(curlopt, value), '{}') from @extschema@.http_list_curlopt());
  timeout_ms constant bigint := coalesce(
    (options ->> 'CURLOPT_TIMEOUT_MS')::bigint,
    (options ->> 'CURLOPT_TIMEOUT')::bigint * 1000,
    nullif(current_setting('http.timeout_msec', true), '')::bigint,
    5000);
  answer jsonb;
begin
  if request.method is null then
    raise exception 'http_request.method is NULL';
  elsif request.uri is null then
    raise exception 'http_request.uri is NULL';
  elsif request.method !~ '^[A-Za-z]{1,20}$' then
    raise exception 'http_request.method is no method';
  elsif request.content is not null and request.content_type is null then
    raise exception 'http_request.content_type is NULL';
  end if;
  select coalesce(jsonb_agg(jsonb_build_array(h.field, h.value)), '[]') into headers
  from unnest(request.headers) as h where h.field is not null;
  if request.content is not null then
    headers := headers || jsonb_build_array(jsonb_build_array('Content-Type', request.content_type));
  end if;
  if options ? 'CURLOPT_USERAGENT' then
    headers := headers || jsonb_build_array(jsonb_build_array('User-Agent', options ->> 'CURLOPT_USERAGENT'));
  end if;
  if options ? 'CURLOPT_USERPWD' then
    headers := headers || jsonb_build_array(jsonb_build_array('Authorization',
      'Basic ' || translate(encode(convert_to(options ->> 'CURLOPT_USERPWD', 'UTF8'), 'base64'), E'\n', '')));
  end if;
  begin
    answer := @extschema@._http_ask(
      jsonb_build_object('method', request.method, 'uri', request.uri, 'headers', headers, 'content', request.content,
        'timeout_ms', timeout_ms)::text
    )::jsonb;
  exception when sqlclient_unable_to_establish_sqlconnection then
    raise exception using errcode = '55000', message = 'there is no server process that could send an HTTP request',
      hint = 'Requests of the http extension are sent while Plinth runs.';
  end;
  if answer ? 'error' then
    raise exception using errcode = 'XX000', message = answer ->> 'error';
  end if;
  return row(
    (answer ->> 'status')::int,
    answer ->> 'content_type',
    array(
      select row(pair ->> 0, pair ->> 1)::@extschema@.http_header
      from jsonb_array_elements(answer -> 'headers') with ordinality as each (pair, position)
      order by position
    ),
    answer ->> 'content'
  )::@extschema@.http_response;
end
$$;

-- Encodes text as HTML forms do: a space becomes a plus sign.
create function @extschema@.urlencode(string bytea) returns text
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select coalesce(string_agg(
    case
      when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126) then chr(byte)
      when byte = 32 then '+'
      else '%' || upper(lpad(to_hex(byte), 2, '0'))
    end, '' order by position), '')
  from (select position, get_byte(string, position) as byte from generate_series(0, length(string) - 1) as position) as each
$$;

create function @extschema@.urlencode(string varchar) returns text
language sql immutable strict
as $$ select @extschema@.urlencode(pg_catalog.convert_to(string, 'UTF8')) $$;

create function @extschema@.urlencode(data jsonb) returns text
language sql immutable strict
as $$
  select coalesce(pg_catalog.string_agg(
    @extschema@.urlencode(key::varchar) || '=' || @extschema@.urlencode(coalesce(value, '')::varchar), '&' order by position), '')
  from pg_catalog.jsonb_each_text(data) with ordinality as each (key, value, position)
$$;

create function @extschema@.http_get(uri varchar) returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('GET', $1, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.http_get(uri varchar, data jsonb) returns @extschema@.http_response
language sql
as $$
  select @extschema@.http(row('GET', $1 || '?' || @extschema@.urlencode($2), null, null, null)::@extschema@.http_request)
$$;

create function @extschema@.http_post(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('POST', $1, null, $3, $2)::@extschema@.http_request) $$;

create function @extschema@.http_post(uri varchar, data jsonb) returns @extschema@.http_response
language sql
as $$
  select @extschema@.http(
    row('POST', $1, null, 'application/x-www-form-urlencoded', @extschema@.urlencode($2))::@extschema@.http_request)
$$;

create function @extschema@.http_put(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('PUT', $1, null, $3, $2)::@extschema@.http_request) $$;

create function @extschema@.http_patch(uri varchar, content varchar, content_type varchar) returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('PATCH', $1, null, $3, $2)::@extschema@.http_request) $$;

create function @extschema@.http_delete(uri varchar) returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('DELETE', $1, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.http_delete(uri varchar, content varchar, content_type varchar)
returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('DELETE', $1, null, $3, $2)::@extschema@.http_request) $$;

create function @extschema@.http_head(uri varchar) returns @extschema@.http_response
language sql
as $$ select @extschema@.http(row('HEAD', $1, null, null, null)::@extschema@.http_request) $$;

create function @extschema@.text_to_bytea(data text) returns bytea
language sql immutable strict
as $$ select pg_catalog.convert_to(data, 'UTF8') $$;

create function @extschema@.bytea_to_text(data bytea) returns text
language sql immutable strict
as $$ select pg_catalog.convert_from(data, 'UTF8') $$;
