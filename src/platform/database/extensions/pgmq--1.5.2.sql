-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Queues are tables: `q_NAME` contains pending messages and `a_NAME` contains archived messages. Reading a message
-- hides it for a limited time. When the reader has processed the message, the reader deletes or archives it. Otherwise,
-- the message becomes visible again. Names and types are those of pgmq 1.5. The functions run as their caller, so
-- grants and policies on a queue's table apply.

create table pgmq.meta (
  queue_name varchar unique not null,
  is_partitioned boolean not null,
  is_unlogged boolean not null,
  created_at timestamptz not null default now()
);

create type pgmq.message_record as (
  msg_id bigint,
  read_ct int,
  enqueued_at timestamptz,
  vt timestamptz,
  message jsonb,
  headers jsonb
);

create type pgmq.queue_record as (
  queue_name varchar,
  is_partitioned boolean,
  is_unlogged boolean,
  created_at timestamptz
);

create type pgmq.metrics_result as (
  queue_name text,
  queue_length bigint,
  newest_msg_age_sec int,
  oldest_msg_age_sec int,
  total_messages bigint,
  scrape_time timestamptz,
  queue_visible_length bigint
);

-- Returns the table name of a queue (prefix `q`) or its archive (`a`).
create function pgmq.format_table_name(queue_name text, prefix text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if queue_name ~ '\$|;|--|''' then
    raise exception 'queue name contains invalid characters: $, ;, --, or \''';
  end if;
  return lower(prefix || '_' || queue_name);
end
$$;

create function pgmq.validate_queue_name(queue_name text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if length(queue_name) > 47 then
    raise exception 'queue name is too long, maximum length is 47 characters';
  end if;
end
$$;

-- Locks a queue name until the transaction ends, so that calls for the same name run one after another.
create function pgmq.acquire_queue_lock(queue_name text) returns void
language sql set search_path = pg_catalog, pg_temp
as $$ select pg_advisory_xact_lock(hashtext('pgmq.queue_' || queue_name)) $$;

create function pgmq._create(queue_name text, is_unlogged boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp set client_min_messages = warning
as $$
declare
  qtable constant text := pgmq.format_table_name(queue_name, 'q');
  atable constant text := pgmq.format_table_name(queue_name, 'a');
begin
  perform pgmq.validate_queue_name(queue_name);
  perform pgmq.acquire_queue_lock(queue_name);
  execute format(
    'create %s table if not exists pgmq.%I (
      msg_id bigint primary key generated always as identity,
      read_ct int not null default 0,
      enqueued_at timestamptz not null default now(),
      vt timestamptz not null,
      message jsonb,
      headers jsonb
    )', case when is_unlogged then 'unlogged' else '' end, qtable);
  execute format(
    'create table if not exists pgmq.%I (
      msg_id bigint primary key,
      read_ct int not null default 0,
      enqueued_at timestamptz not null default now(),
      archived_at timestamptz not null default now(),
      vt timestamptz not null,
      message jsonb,
      headers jsonb
    )', atable);
  execute format('create index if not exists %I on pgmq.%I (vt)', qtable || '_vt_idx', qtable);
  execute format('create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || lower(queue_name), atable);
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged) values (queue_name, false, is_unlogged)
  on conflict do nothing;
end
$$;

create function pgmq.create(queue_name text) returns void
language sql
as $$ select pgmq._create(queue_name, false) $$;

create function pgmq.create_non_partitioned(queue_name text) returns void
language sql
as $$ select pgmq._create(queue_name, false) $$;

create function pgmq.create_unlogged(queue_name text) returns void
language sql
as $$ select pgmq._create(queue_name, true) $$;

-- Functions of the original that only its own functions call. A dump contains the grants on them.
create function pgmq._extension_exists(extension_name text) returns boolean
language sql stable
as $$ select exists (select from pg_catalog.pg_extension where extname = extension_name) $$;

create function pgmq._belongs_to_pgmq(table_name text) returns boolean
language sql stable
as $$
  select exists (
    select from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = 'pgmq'
    where d.objid = (select c.oid from pg_catalog.pg_class c
      where c.relname = table_name and c.relnamespace = pg_catalog.to_regnamespace('pgmq')))
$$;

create function pgmq._get_pg_partman_schema() returns text
language sql stable
as $$ select extnamespace::regnamespace::text from pg_catalog.pg_extension where extname = 'pg_partman' $$;

create function pgmq._get_pg_partman_major_version() returns int
language sql stable
as $$ select split_part(extversion, '.', 1)::int from pg_catalog.pg_extension where extname = 'pg_partman' $$;

create function pgmq._get_partition_col(partition_interval text) returns text
language sql immutable
as $$ select case when partition_interval ~ '^\s*[+-]?\d+\s*$' then 'msg_id' else 'enqueued_at' end $$;

create function pgmq._ensure_pg_partman_installed() returns void
language plpgsql
as $$
begin
  raise exception using errcode = '0A000', message = 'pg_partman is required for partitioned queues';
end
$$;

create function pgmq.create_partitioned(
  queue_name text,
  partition_interval text default '10000',
  retention_interval text default '100000'
) returns void
language sql
as $$ select pgmq._ensure_pg_partman_installed() $$;

create function pgmq.convert_archive_partitioned(
  table_name text,
  partition_interval text default '10000',
  retention_interval text default '100000',
  leading_partition int default 10
) returns void
language sql
as $$ select pgmq._ensure_pg_partman_installed() $$;

create function pgmq.drop_queue(queue_name text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  qtable constant text := pgmq.format_table_name(queue_name, 'q');
begin
  perform pgmq.acquire_queue_lock(queue_name);
  if to_regclass(format('pgmq.%I', qtable)) is null then
    raise notice 'pgmq queue `%` does not exist', queue_name;
    return false;
  end if;
  execute format('drop table pgmq.%I', qtable);
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'a'));
  delete from pgmq.meta m where m.queue_name = drop_queue.queue_name;
  return true;
end
$$;

create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean
language plpgsql
as $$
begin
  raise warning 'drop_queue(queue_name, partitioned) is deprecated and will be removed in PGMQ v2.0. Use drop_queue(queue_name) instead';
  return pgmq.drop_queue(queue_name);
end
$$;

-- Does nothing, because archives never belong to the extension in Plinth.
create function pgmq.detach_archive(queue_name text) returns void
language sql
as $$ select $$;

-- Every variant of send and send_batch calls this function.
create function pgmq._send(queue_name text, msgs jsonb[], headers jsonb[], visible_at timestamptz) returns setof bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(headers) <> cardinality(msgs) then
    raise exception 'headers array length (%) must match msgs array length (%)', cardinality(headers), cardinality(msgs);
  end if;
  return query execute format(
    'insert into pgmq.%I (vt, message, headers)
    select $1, each.message, each.headers
    from unnest($2, $3) with ordinality as each (message, headers, position)
    order by each.position
    returning msg_id', pgmq.format_table_name(queue_name, 'q'))
    using visible_at, msgs, coalesce(headers, array_fill(null::jsonb, array[cardinality(msgs)]));
end
$$;

create function pgmq.send(queue_name text, msg jsonb) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, array[msg], null, clock_timestamp()) $$;

create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, array[msg], array[headers], clock_timestamp()) $$;

create function pgmq.send(queue_name text, msg jsonb, delay int) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, array[msg], null, clock_timestamp() + make_interval(secs => delay)) $$;

create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, array[msg], null, delay) $$;

create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay int) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, array[msg], array[headers], clock_timestamp() + make_interval(secs => delay)) $$;

create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, array[msg], array[headers], delay) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, msgs, null, clock_timestamp()) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[]) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, msgs, headers, clock_timestamp()) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], delay int) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, msgs, null, clock_timestamp() + make_interval(secs => delay)) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, msgs, null, delay) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay int) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, msgs, headers, clock_timestamp() + make_interval(secs => delay)) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz) returns setof bigint
language sql
as $$ select pgmq._send(queue_name, msgs, headers, delay) $$;

-- Returns up to `qty` visible messages, oldest first, and hides them for `vt` seconds. Only messages that contain
-- `conditional` are returned.
create function pgmq.read(queue_name text, vt int, qty int, conditional jsonb default '{}')
returns setof pgmq.message_record
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  qtable constant text := pgmq.format_table_name(queue_name, 'q');
begin
  return query execute format(
    'with taken as materialized (
      select msg_id from pgmq.%1$I
      where vt <= clock_timestamp() and ($3 = ''{}'' or message @> $3)
      order by msg_id limit $2
      for update skip locked
    ), updated as (
      update pgmq.%1$I q set vt = clock_timestamp() + $1, read_ct = q.read_ct + 1
      from taken where q.msg_id = taken.msg_id
      returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers
    )
    select * from updated order by msg_id', qtable)
    using make_interval(secs => vt), qty, coalesce(conditional, '{}');
end
$$;

create function pgmq.read_with_poll(
  queue_name text,
  vt int,
  qty int,
  max_poll_seconds int default 5,
  poll_interval_ms int default 100,
  conditional jsonb default '{}'
) returns setof pgmq.message_record
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  stop_at constant timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
begin
  loop
    return query select * from pgmq.read(queue_name, vt, qty, conditional);
    exit when found or clock_timestamp() >= stop_at;
    perform pg_sleep(poll_interval_ms / 1000.0);
  end loop;
end
$$;

create function pgmq.pop(queue_name text) returns setof pgmq.message_record
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return query execute format(
    'with taken as materialized (
      select msg_id from pgmq.%1$I where vt <= clock_timestamp() order by msg_id limit 1 for update skip locked
    )
    delete from pgmq.%1$I q using taken where q.msg_id = taken.msg_id
    returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers', pgmq.format_table_name(queue_name, 'q'));
end
$$;

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return query execute format(
    'with gone as (
      delete from pgmq.%I where msg_id = any ($1) returning msg_id, vt, read_ct, enqueued_at, message, headers
    )
    insert into pgmq.%I (msg_id, vt, read_ct, enqueued_at, message, headers)
    select msg_id, vt, read_ct, enqueued_at, message, headers from gone
    returning msg_id', pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a'))
    using msg_ids;
end
$$;

create function pgmq.archive(queue_name text, msg_id bigint) returns boolean
language sql
as $$ select exists (select from pgmq.archive(queue_name, array[msg_id])) $$;

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return query execute format('delete from pgmq.%I where msg_id = any ($1) returning msg_id',
    pgmq.format_table_name(queue_name, 'q')) using msg_ids;
end
$$;

create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
language sql
as $$ select exists (select from pgmq.delete(queue_name, array[msg_id])) $$;

create function pgmq.set_vt(queue_name text, msg_id bigint, vt int) returns setof pgmq.message_record
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  return query execute format(
    'update pgmq.%I q set vt = clock_timestamp() + $2 where q.msg_id = $1
    returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message, q.headers', pgmq.format_table_name(queue_name, 'q'))
    using msg_id, make_interval(secs => vt);
end
$$;

create function pgmq.purge_queue(queue_name text) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  purged bigint;
begin
  execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  get diagnostics purged = row_count;
  return purged;
end
$$;

create function pgmq.list_queues() returns setof pgmq.queue_record
language sql stable
as $$ select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta $$;

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  qtable constant text := pgmq.format_table_name(queue_name, 'q');
  result pgmq.metrics_result;
begin
  execute format(
    'select $1, count(*), extract(epoch from now() - max(enqueued_at))::int, extract(epoch from now() - min(enqueued_at))::int,
      (select case when is_called then last_value else 0 end from pgmq.%I), now(),
      count(*) filter (where vt <= clock_timestamp())
    from pgmq.%I', qtable || '_msg_id_seq', qtable)
    using queue_name into result;
  return result;
end
$$;

create function pgmq.metrics_all() returns setof pgmq.metrics_result
language sql
as $$ select metrics.* from pgmq.meta, pgmq.metrics(meta.queue_name) as metrics $$;

-- As on the hosted service, the project owns everything in this schema. `postgres` creates queues and grants access to
-- them.
do $$
declare
  owned record;
begin
  for owned in
    select 'function ' || p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'pgmq'::regnamespace and (not pgmq._extension_exists('pgmq') or exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'))
    union all
    select 'type ' || t.oid::regtype from pg_type t join pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'pgmq'::regnamespace and c.relkind = 'c'
  loop
    execute format('alter %s owner to postgres', owned.name);
  end loop;
end
$$;
alter table pgmq.meta owner to postgres;
grant usage on schema pgmq to pg_monitor;
grant select on pgmq.meta to pg_monitor;

-- Dumps contain the list of queues. Their tables don't belong to the extension, so dumps contain them anyway.
do $$
begin
  if pgmq._extension_exists('pgmq') then
    perform pg_extension_config_dump('pgmq.meta', '');
  end if;
end
$$;
