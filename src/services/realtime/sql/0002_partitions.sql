-- realtime.messages has one partition per day (UTC). Partitions are created from yesterday to three days ahead and
-- dropped after 72 hours.

set local role supabase_realtime_admin;

create function _plinth.realtime_keep_partitions() returns void
language plpgsql
as $$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  partition text;
begin
  for day in select generate_series(today - 1, today + 3, interval '1 day')::date loop
    partition := 'messages_' || to_char(day, 'YYYY_MM_DD');
    if to_regclass(format('realtime.%I', partition)) is null then
      -- Attached after creation because PARTITION OF would block all senders.
      execute format(
        'create table realtime.%I (like realtime.messages including defaults including constraints)', partition
      );
      execute format(
        'alter table realtime.messages attach partition realtime.%I for values from (%L) to (%L)',
        partition, day, day + 1
      );
    end if;
  end loop;
  for partition in
    select child.relname
    from pg_catalog.pg_inherits
    join pg_catalog.pg_class child on child.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass
      and child.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
      and to_date(substr(child.relname, 10), 'YYYY_MM_DD') < ((now() at time zone 'utc') - interval '72 hours')::date
  loop
    execute format('drop table realtime.%I', partition);
  end loop;
end
$$;

revoke all on function _plinth.realtime_keep_partitions() from public;

select _plinth.realtime_keep_partitions();
