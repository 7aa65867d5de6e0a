-- Requests are rows of a queue. The process sends committed requests and stores the responses. The queue is a logged
-- table here (upstream's is unlogged), so a crash doesn't lose any requests.
create schema net;

create domain net.http_method as text check (value in ('GET', 'POST', 'DELETE'));

create table net.http_request_queue (
  id bigserial primary key,
  method net.http_method not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds int not null
);

create table net._http_response (
  id bigint,
  status_code int,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (created);

create type net.request_status as enum ('PENDING', 'SUCCESS', 'ERROR');
create type net.http_response as (status_code int, headers jsonb, body text);
create type net.http_response_result as (status net.request_status, message text, response net.http_response);

-- Notifies the sending process when the transaction commits.
create function net.wake() returns void
language sql
as $$ select pg_catalog.pg_notify('plinth_net', '') $$;

-- Does nothing, because the sender runs in the server process and not in a separate worker that could be down.
create function net.check_worker_is_up() returns void
language sql
as $$ select $$;

create function net.worker_restart() returns boolean
language sql
as $$ select net.wake(); select true $$;

create function net._urlencode_string(string varchar) returns text
language sql immutable strict
as $$
  select coalesce(string_agg(
    case when byte between 48 and 57 or byte between 65 and 90 or byte between 97 and 122 or byte in (45, 46, 95, 126)
      then chr(byte)
      else '%' || upper(lpad(to_hex(byte), 2, '0'))
    end, '' order by position), '')
  from (
    select position, get_byte(bytes, position) as byte
    from (select convert_to(string, 'UTF8')) as encoded (bytes), generate_series(0, length(bytes) - 1) as position
  ) as each
$$;

create function net._encode_url_with_params_array(url text, params_array text[]) returns text
language sql immutable
as $$
  select case
    when coalesce(cardinality(params_array), 0) = 0 then url
    else url || case when url like '%?%' then '&' else '?' end || array_to_string(params_array, '&')
  end
$$;

-- Adds a request to the queue with the caller's own privileges.
create function net._enqueue(method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds int)
returns bigint
language plpgsql set search_path = ''
as $$
declare
  pairs constant text[] := (
    select pg_catalog.array_agg(net._urlencode_string(key) || '=' || net._urlencode_string(value))
    from pg_catalog.jsonb_each_text(coalesce(params, '{}'))
  );
  request_id bigint;
begin
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (method, net._encode_url_with_params_array(url, pairs), headers, body, timeout_milliseconds)
  returning id into request_id;
  perform net.wake();
  return request_id;
end
$$;

create function net.http_get(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds int default 5000
) returns bigint
language sql
as $$ select net._enqueue('GET', url, params, headers, null, timeout_milliseconds) $$;

create function net.http_post(
  url text,
  body jsonb default '{}',
  params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds int default 5000
) returns bigint
language plpgsql
as $$
declare
  content_type text;
begin
  select value into content_type from jsonb_each_text(coalesce(headers, '{}')) where lower(key) = 'content-type' limit 1;
  if content_type is null then
    headers := coalesce(headers, '{}') || '{"Content-Type": "application/json"}';
  elsif content_type not like 'application/json%' then
    raise exception 'Content-Type header must be "application/json"';
  end if;
  return net._enqueue('POST', url, params, headers, convert_to(body::text, 'UTF8'), timeout_milliseconds);
end
$$;

create function net.http_delete(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds int default 5000,
  body jsonb default null
) returns bigint
language sql
as $$
  select net._enqueue('DELETE', url, params,
    case when body is null then headers else '{"Content-Type": "application/json"}' || coalesce(headers, '{}') end,
    convert_to(body::text, 'UTF8'), timeout_milliseconds)
$$;

create function net._await_response(request_id bigint) returns boolean
language plpgsql
as $$
begin
  while not exists (select from net._http_response where id = request_id) loop
    perform pg_sleep(0.05);
  end loop;
  return true;
end
$$;

-- If `async` is false, waits for the response. The request must already be committed.
create function net._http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
language plpgsql
as $$
declare
  answer net._http_response;
begin
  if not async then
    perform net._await_response(request_id);
  end if;
  select * into answer from net._http_response where id = request_id;
  if not found then
    return ('PENDING', case when exists (select from net.http_request_queue where id = request_id)
      then 'request is pending processing' else 'request matching request_id not found' end, null)::net.http_response_result;
  end if;
  if answer.error_msg is not null or answer.timed_out then
    return ('ERROR', coalesce(answer.error_msg, 'request timed out'), null)::net.http_response_result;
  end if;
  return ('SUCCESS', 'ok', row(answer.status_code, answer.headers, answer.content)::net.http_response)::net.http_response_result;
end
$$;

create function net.http_collect_response(request_id bigint, async boolean default true)
returns net.http_response_result
language sql
as $$ select net._http_collect_response(request_id, async) $$;

-- The privileges are granted to all roles, as in upstream, except TRIGGER and REFERENCES. With these two, one role's
-- code could run during another role's insert.
grant usage on schema net to public;
grant select, insert, update, delete on all tables in schema net to public;
grant usage, select, update on all sequences in schema net to public;
