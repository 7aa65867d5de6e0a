-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

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

create or replace function pgmq.create_partitioned(
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

create or replace function pgmq.drop_queue(queue_name text) returns boolean
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

create or replace function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean
language plpgsql
as $$
begin
  raise warning 'drop_queue(queue_name, partitioned) is deprecated and will be removed in PGMQ v2.0. Use drop_queue(queue_name) instead';
  return pgmq.drop_queue(queue_name);
end
$$;

create or replace function pgmq._send(queue_name text, msgs jsonb[], headers jsonb[], visible_at timestamptz) returns setof bigint
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

alter function pgmq._extension_exists(text) owner to postgres;
alter function pgmq._belongs_to_pgmq(text) owner to postgres;
alter function pgmq._get_pg_partman_schema() owner to postgres;
alter function pgmq._get_pg_partman_major_version() owner to postgres;
alter function pgmq._get_partition_col(text) owner to postgres;
alter function pgmq._ensure_pg_partman_installed() owner to postgres;
alter function pgmq.convert_archive_partitioned(text, text, text, int) owner to postgres;
select pg_extension_config_dump('pgmq.meta', '');
