-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Jobs are rows. Every minute, a process finds the due jobs and runs each job in a session of the job's user. Names,
-- columns and messages are those of pg_cron 1.6. Names that begin with an underscore are internal to this script and
-- the process.
create schema cron;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport int not null default current_setting('port')::int,
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid int,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
create index on cron.job_run_details (jobid, runid);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

-- A parsed schedule, which is an interval in seconds, each start of the server, or cron fields.
create type cron._spec as (
  every_seconds int,
  at_start boolean,
  minutes int[],
  hours int[],
  days int[],
  months int[],
  weekdays int[],
  last_day boolean,
  any_day boolean,
  any_weekday boolean
);

-- When each job was last due, and whether a run is waiting for another run to end.
create table cron._timetable (
  jobid bigint primary key references cron.job on delete cascade,
  spec cron._spec not null,
  due_at timestamptz not null default clock_timestamp(),
  is_waiting boolean not null default false
);

-- Stores the runs in progress. A run lasts as long as its session exists, even if other processes end.
create table cron._run (
  runid bigint primary key,
  jobid bigint not null,
  pid int,
  backend_start timestamptz,
  claimed_at timestamptz not null default clock_timestamp()
);

-- Parses one field of a schedule. Returns null if the field is invalid. The grammar is Vixie cron's: lists of `*`,
-- numbers, names and ranges, with a step only after `*` or a range. The caller handles `$` in the day-of-month field.
create function cron._field(field text, low int, high int, names text[]) returns int[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  item text;
  part text[];
  bound text;
  bounds int[];
  step int;
  result int[] := '{}';
begin
  foreach item in array string_to_array(lower(field), ',') loop
    part := regexp_match(item, '^(?:(\*)|([0-9a-z]{1,9})(?:-([0-9a-z]{1,9}))?)(?:/([0-9]{1,9}))?$');
    if part is null then
      return null;
    end if;
    bounds := '{}';
    foreach bound in array part[2:3] loop
      if bound is null then
        continue;
      elsif bound ~ '^[0-9]+$' then
        bounds := bounds || bound::int;
      elsif array_position(names, bound) is null then
        return null;
      else
        bounds := bounds || (array_position(names, bound) - 1 + low);
      end if;
    end loop;
    step := coalesce(part[4]::int, 1);
    if step = 0 or low > any (bounds) or high < any (bounds) or (part[4] is not null and cardinality(bounds) = 1) then
      return null;
    end if;
    if part[1] is not null then
      bounds := array[low, high];
    end if;
    result := result || array(
      select generate_series(bounds[1], coalesce(bounds[2], bounds[1]), step));
  end loop;
  return result;
end
$$;

create function cron._parse(schedule text) returns cron._spec
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  spec cron._spec;
  written constant text := btrim(schedule, E' \t\n\r');
  seconds constant text := (regexp_match(written, '^([1-9]|[1-5][0-9])\s+seconds?$', 'i'))[1];
  fields text[] := regexp_split_to_array(case written
    when '@yearly' then '0 0 1 1 *'
    when '@annually' then '0 0 1 1 *'
    when '@monthly' then '0 0 1 * *'
    when '@weekly' then '0 0 * * 0'
    when '@daily' then '0 0 * * *'
    when '@midnight' then '0 0 * * *'
    when '@hourly' then '0 * * * *'
    else written
  end, '\s+');
  days text[];
begin
  spec.at_start := written in ('@reboot', '@restart');
  spec.every_seconds := seconds;
  if spec.at_start or seconds is not null then
    return spec;
  end if;
  if cardinality(fields) = 5 then
    days := string_to_array(fields[3], ',');
    spec.last_day := '$' = any (days);
    days := array_remove(days, '$');
    spec.minutes := cron._field(fields[1], 0, 59, '{}');
    spec.hours := cron._field(fields[2], 0, 23, '{}');
    spec.days := case when days = '{}' then '{}' else cron._field(array_to_string(days, ','), 1, 31, '{}') end;
    spec.months := cron._field(fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}');
    -- The number 7 also stands for Sunday.
    spec.weekdays := array_replace(cron._field(fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat,sun}'), 7, 0);
    spec.any_day := starts_with(fields[3], '*');
    spec.any_weekday := starts_with(fields[5], '*');
  end if;
  if spec.minutes is null or spec.hours is null or spec.days is null or spec.months is null or spec.weekdays is null then
    raise exception using
      errcode = '22023',
      message = format('invalid schedule: %s', schedule),
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
  return spec;
end
$$;

-- Whether a schedule matches a minute of local time. As in Vixie cron, if both day fields are restricted, a match of
-- either field is sufficient.
create function cron._matches(spec cron._spec, minute timestamp) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select extract(minute from minute)::int = any (spec.minutes)
    and extract(hour from minute)::int = any (spec.hours)
    and extract(month from minute)::int = any (spec.months)
    and case when spec.any_day or spec.any_weekday then on_day and on_weekday else on_day or on_weekday end
  from (
    select
      extract(day from minute)::int = any (spec.days)
        or (spec.last_day and extract(month from minute + interval '1 day') <> extract(month from minute)) as on_day,
      extract(dow from minute)::int = any (spec.weekdays) as on_weekday
  ) as days
$$;

-- Returns `cron.timezone` as set for `postgres`, the database or the server, or GMT if it isn't a valid time zone.
create function cron._timezone() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  zone constant text := coalesce((
    select split_part(entry, '=', 2)
    from pg_db_role_setting s, unnest(s.setconfig) as entry
    where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
      and s.setrole in (0, to_regrole('postgres'))
      and split_part(entry, '=', 1) = 'cron.timezone'
    order by s.setrole <> 0 desc, s.setdatabase <> 0 desc
    limit 1
  ), current_setting('cron.timezone', true), 'GMT');
begin
  perform now() at time zone zone;
  return zone;
exception when invalid_parameter_value then
  return 'GMT';
end
$$;

-- Returns the time at which a job became due, or null if it isn't due. `last` is the time at which it last became due.
-- Runs missed before the current minute are skipped.
create function cron._due(spec cron._spec, last timestamptz, moment timestamptz, zone text) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- A time in the future was stored before the clock was set back, so it is ignored. As in Vixie cron, jobs that run at
  -- a certain hour aren't repeated if the clock is set back by less than three hours.
  select case
    when spec.at_start then
      case when last < pg_postmaster_start_time() or last > moment + interval '1 minute' then pg_postmaster_start_time() end
    when spec.every_seconds is not null then
      case when last + make_interval(secs => spec.every_seconds) <= moment or last > moment + interval '1 minute' then moment end
    when (last < date_trunc('minute', moment)
        or last > moment + case when cardinality(spec.hours) < 24 then interval '3 hours' else interval '1 minute' end)
      and cron._matches(spec, date_trunc('minute', moment at time zone zone)) then
      date_trunc('minute', moment)
  end
$$;

create function cron._is_running(job bigint) returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from cron._run r
    where r.jobid = job
      and case
        when r.pid is null then r.claimed_at > clock_timestamp() - interval '30 seconds'
        else exists (select from pg_stat_activity a where a.pid = r.pid and a.backend_start = r.backend_start)
      end
  )
$$;

-- Only the scheduler can call the functions below. `postgres` is a member of the scheduler's role, so the session is
-- checked rather than the grant.
create function cron._check_scheduler() returns void
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (
    select from pg_roles where rolname = session_user and (rolsuper or rolname = 'supabase_functions_admin')
  ) then
    raise exception using errcode = '42501', message = 'permission denied: only the scheduler calls this function';
  end if;
end
$$;

-- Claims up to `slots` due jobs. Each job is claimed by one process only. `skipped` is the number of jobs that are
-- currently locked. `next_ms` is the time until the next job may be due, or null if no job is active.
create function cron._claim(slots int, out runs jsonb, out skipped int, out next_ms int)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  zone constant text := cron._timezone();
  moment constant timestamptz := clock_timestamp();
  entry record;
  due timestamptz;
  run bigint;
begin
  perform cron._check_scheduler();
  runs := '[]';
  select count(*) into skipped from cron.job where active;
  for entry in
    select j.jobid, j.command, j.database, j.username, t.spec, t.due_at, t.is_waiting
    from cron.job j join cron._timetable t using (jobid)
    where j.active
    order by t.due_at
    for update of t skip locked
  loop
    skipped := skipped - 1;
    due := cron._due(entry.spec, entry.due_at, moment, zone);
    if cron._is_running(entry.jobid) then
      -- Queues at most one run. A job with an interval in seconds remains due instead.
      if due is not null and (entry.spec).every_seconds is null then
        update cron._timetable t set due_at = due, is_waiting = true where t.jobid = entry.jobid;
      end if;
    elsif slots > 0 and (due is not null or entry.is_waiting) then
      slots := slots - 1;
      update cron._timetable t set due_at = coalesce(due, t.due_at), is_waiting = false where t.jobid = entry.jobid;
      delete from cron._run r where r.jobid = entry.jobid;
      insert into cron.job_run_details (jobid, database, username, command, status)
      values (entry.jobid, entry.database, entry.username, entry.command, 'starting')
      returning runid into run;
      insert into cron._run (runid, jobid) values (run, entry.jobid);
      runs := runs || jsonb_build_object('runid', run, 'jobid', entry.jobid, 'command', entry.command,
        'database', entry.database, 'username', entry.username);
    end if;
  end loop;
  -- `min` returns null if there aren't any jobs. `greatest` outside the aggregate would turn that null into 0, and the
  -- scheduler would poll continuously.
  select min(greatest(0, ceil(1000 * extract(epoch from case
      when (t.spec).every_seconds is not null and not cron._is_running(t.jobid)
        then t.due_at + make_interval(secs => (t.spec).every_seconds)
      else date_trunc('minute', moment) + interval '1 minute'
    end - clock_timestamp()))))
    into next_ms
    from cron.job j join cron._timetable t using (jobid) where j.active;
end
$$;

-- Marks runs as ended if their session no longer exists and their result was never recorded.
create function cron._sweep() returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select cron._check_scheduler();
  update cron.job_run_details d
  set status = 'failed', return_message = 'server restarted', end_time = clock_timestamp()
  where d.status in ('starting', 'connecting', 'sending', 'running')
    and not exists (select from cron._run r where r.runid = d.runid and cron._is_running(r.jobid));
  delete from cron._run r where not cron._is_running(r.jobid);
$$;

-- Stores what the process reports about runs. The process uses a role that has no other privileges here and can only
-- call these functions. If the schema has been replaced since, the replacement's functions run only with that role's
-- privileges.
create function cron._note_session(run bigint, session int) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select cron._check_scheduler();
  update cron._run r set pid = session,
    backend_start = (select a.backend_start from pg_stat_activity a where a.pid = session)
  where r.runid = run;
  update cron.job_run_details d set status = 'running', job_pid = session, start_time = clock_timestamp()
  where d.runid = run;
$$;

create function cron._note_end(run bigint, outcome text, message text) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select cron._check_scheduler();
  delete from cron._run r where r.runid = run;
  update cron.job_run_details d set status = outcome, return_message = message, end_time = clock_timestamp()
  where d.runid = run;
$$;

-- Returns the jobs from the given list that have been unscheduled.
create function cron._gone(jobs bigint[]) returns setof bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select cron._check_scheduler();
  select each.jobid from unnest(jobs) as each (jobid)
  where not exists (select from cron.job j where j.jobid = each.jobid);
$$;

create function cron._delete_old(kept interval, most int) returns int
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select cron._check_scheduler();
  with gone as (
    delete from cron.job_run_details where runid in (
      select runid from cron.job_run_details where end_time < now() - kept
      order by runid limit most for update skip locked
    ) returning 1
  )
  select count(*)::int from gone;
$$;

-- Schedules an immediate run of a job, after any run in progress. Returns whether a run is in progress.
create function cron._run_now(job bigint) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update cron._timetable t set is_waiting = true where t.jobid = job;
  select pg_notify('plinth_cron', '');
  select cron._is_running(job);
$$;

-- The functions below run as their caller, and the caller's identity must be certain before anything is stored. A
-- definer function can't identify the caller, and an argument could be forged, so the functions insert into this view.
-- The `caller` column can't be set explicitly. It is filled with the role that runs the insert.
create view cron._call as
  select null::text as action, null::bigint as jobid, null::text as jobname, null::text as schedule,
    null::text as command, null::text as database, null::text as username, null::boolean as active, null::text as caller
  where false;
alter view cron._call alter column caller set default current_user;

create function cron._perform() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  is_super constant boolean := (select rolsuper from pg_roles where rolname = new.caller);
  job cron.job;
begin
  if new.action = 'schedule' then
    job.jobname := new.jobname;
    job.username := coalesce(new.username, new.caller);
    job.database := coalesce(new.database, current_database());
    job.schedule := new.schedule;
    job.command := new.command;
    job.active := coalesce(new.active, true);
    if job.username <> new.caller and not is_super then
      raise exception using errcode = '42501', message = 'must be superuser to create a job for another role';
    end if;
  else
    if new.jobid is not null then
      select * into job from cron.job j where j.jobid = new.jobid for update;
    else
      select * into job from cron.job j where j.jobname = new.jobname and j.username = new.caller for update;
    end if;
    if job.jobid is null then
      raise exception using errcode = 'P0002', message =
        format(case when new.jobid is null then 'could not find valid entry for job ''%s''' else 'could not find valid entry for job %s' end,
          coalesce(new.jobid::text, new.jobname));
    end if;
    if job.username <> new.caller and not is_super then
      raise exception using errcode = '42501', message = 'permission denied for table job';
    end if;
    if new.username <> job.username and not is_super then
      raise exception using errcode = '42501', message = 'must be superuser to alter username';
    end if;
    job.schedule := coalesce(new.schedule, job.schedule);
    job.command := coalesce(new.command, job.command);
    job.database := coalesce(new.database, job.database);
    job.username := coalesce(new.username, job.username);
    job.active := coalesce(new.active, job.active);
  end if;
  if new.action <> 'unschedule' then
    -- Both functions raise an error if the role or database doesn't exist.
    if not has_database_privilege(job.username, job.database, 'connect') then
      raise exception using errcode = '42501',
        message = format('User %s does not have CONNECT privilege on %s', job.username, job.database);
    end if;
  end if;
  if new.action = 'unschedule' then
    delete from cron.job j where j.jobid = job.jobid;
  elsif new.action = 'alter' then
    update cron.job j
    set schedule = job.schedule, command = job.command, database = job.database, username = job.username, active = job.active
    where j.jobid = job.jobid;
  else
    insert into cron.job as j (jobname, schedule, command, database, username, active)
    values (job.jobname, job.schedule, job.command, job.database, job.username, job.active)
    on conflict on constraint jobname_username_uniq do update
      set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
    returning j.jobid into job.jobid;
  end if;
  if new.action <> 'unschedule' then
    insert into cron._timetable as t (jobid, spec) values (job.jobid, cron._parse(job.schedule))
    on conflict (jobid) do update set spec = excluded.spec, due_at = excluded.due_at, is_waiting = false;
  end if;
  perform pg_notify('plinth_cron', '');
  new.jobid := job.jobid;
  return new;
end
$$;
create trigger perform instead of insert on cron._call for each row execute function cron._perform();

create function cron.schedule(schedule text, command text) returns bigint
language plpgsql strict set search_path = pg_catalog, pg_temp
as $$
declare
  job bigint;
begin
  insert into cron._call (action, schedule, command) values ('schedule', schedule, command)
  returning _call.jobid into job;
  return job;
end
$$;

create function cron.schedule_in_database(
  job_name text,
  schedule text,
  command text,
  database text,
  username text default null,
  active boolean default true
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  job bigint;
begin
  if job_name is null or schedule is null or command is null then
    raise exception using errcode = '22004', message = format('%s can not be NULL',
      case when job_name is null then 'job_name' when schedule is null then 'schedule' else 'command' end);
  end if;
  insert into cron._call (action, jobname, schedule, command, database, username, active)
  values ('schedule', job_name, schedule, command, database, username, active)
  returning _call.jobid into job;
  return job;
end
$$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  job bigint;
begin
  if job_name is null or schedule is null or command is null then
    raise exception using errcode = '22004', message = format('%s can not be NULL',
      case when job_name is null then 'job_name' when schedule is null then 'schedule' else 'command' end);
  end if;
  insert into cron._call (action, jobname, schedule, command) values ('schedule', job_name, schedule, command)
  returning _call.jobid into job;
  return job;
end
$$;

create function cron.alter_job(
  job_id bigint,
  schedule text default null,
  command text default null,
  database text default null,
  username text default null,
  active boolean default null
) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if job_id is null then
    raise exception using errcode = '22004', message = 'job_id can not be NULL';
  end if;
  insert into cron._call (action, jobid, schedule, command, database, username, active)
  values ('alter', job_id, schedule, command, database, username, active);
end
$$;

create function cron.unschedule(job_id bigint) returns boolean
language plpgsql strict set search_path = pg_catalog, pg_temp
as $$
begin
  insert into cron._call (action, jobid) values ('unschedule', job_id);
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean
language plpgsql strict set search_path = pg_catalog, pg_temp
as $$
begin
  insert into cron._call (action, jobname) values ('unschedule', job_name);
  return true;
end
$$;

-- Any role that can use the schema can schedule its own jobs. Among the hosted service's roles, `postgres` can use the
-- schema and grant usage to others. `postgres` can also delete run details, but it can't create triggers on them,
-- because triggers would run with the process's privileges.
revoke all on function cron._claim(int), cron._sweep(), cron._note_session(bigint, int), cron._note_end(bigint, text, text),
  cron._gone(bigint[]), cron._delete_old(interval, int), cron._run_now(bigint) from public;
grant usage on schema cron to supabase_functions_admin;
grant execute on function cron._claim(int), cron._sweep(), cron._note_session(bigint, int), cron._note_end(bigint, text, text),
  cron._gone(bigint[]), cron._delete_old(interval, int) to supabase_functions_admin;
grant execute on function cron._run_now(bigint) to postgres;
revoke all on function cron.schedule_in_database(text, text, text, text, text, boolean) from public;
revoke all on function cron.alter_job(bigint, text, text, text, text, boolean) from public;
grant select on cron.job, cron.job_run_details to public;
grant select (jobid), insert (action, jobid, jobname, schedule, command, database, username, active) on cron._call to public;
grant usage on schema cron to postgres with grant option;
grant select on cron.job to postgres with grant option;
grant select, insert, update, delete, truncate on cron.job_run_details to postgres with grant option;
grant usage, select on all sequences in schema cron to postgres with grant option;
grant execute on function cron.schedule(text, text), cron.schedule(text, text, text), cron.unschedule(bigint), cron.unschedule(text),
  cron.schedule_in_database(text, text, text, text, text, boolean),
  cron.alter_job(bigint, text, text, text, text, boolean) to postgres with grant option;

-- Notifies the scheduler that the extension exists.
select pg_notify('plinth_cron', '');
