-- Updates existing extensions whose functions run as a superuser and used to look up names in schemas that belong to
-- the project. The scripts of new extensions already do this (src/database/extensions).
do $plinth$
declare
  place text;
  added text;
begin
  -- In vault, replaces calls by name with calls of pgcrypto's own functions, in whichever schema they are now.
  select quote_ident(n.nspname) into place
  from pg_catalog.pg_extension e
  join pg_catalog.pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pgcrypto' and (
    select count(*) from pg_catalog.pg_proc p
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
      and d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid and d.deptype = 'e'
    where p.pronamespace = n.oid and p.proname in ('hmac', 'encrypt_iv', 'decrypt_iv', 'gen_random_bytes')
  ) >= 4;
  if place is not null and to_regprocedure('vault._decrypt(text,bytea,uuid)') is not null
    and to_regprocedure('vault._hmac(bytea,bytea)') is null
    and exists (
      select from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner
      where n.nspname = 'vault' and r.rolsuper)
  then
    execute replace($script$
create function vault._hmac(message bytea, key bytea) returns bytea language sql immutable
begin atomic select @pgcrypto@.hmac(message, key, 'sha256'); end;
create function vault._cipher(message bytea, key bytea, nonce bytea) returns bytea language sql immutable
begin atomic select @pgcrypto@.encrypt_iv(message, key, nonce, 'aes-cbc/pad:pkcs'); end;
create function vault._decipher(message bytea, key bytea, nonce bytea) returns bytea language sql immutable
begin atomic select @pgcrypto@.decrypt_iv(message, key, nonce, 'aes-cbc/pad:pkcs'); end;
create function vault._random(bytes int) returns bytea language sql volatile
begin atomic select @pgcrypto@.gen_random_bytes(bytes); end;
revoke all on function vault._hmac(bytea, bytea), vault._cipher(bytea, bytea, bytea), vault._decipher(bytea, bytea, bytea),
  vault._random(int) from public;
create or replace function vault._root_key() returns bytea
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  hex text;
  root bytea;
begin
  begin
    hex := pg_catalog.pg_read_file('plinth_vault.key', 0, 1000, true);
  exception when insufficient_privilege then
    hex := null;
  end;
  if hex is not null then
    return pg_catalog.decode(pg_catalog.btrim(hex, E' \n'), 'hex');
  end if;
  select k.root_key into root from vault.fallback_key k;
  if root is null then
    insert into vault.fallback_key (root_key) values (vault._random(32))
      on conflict do nothing;
    select k.root_key into root from vault.fallback_key k;
  end if;
  return root;
end
$$;
create or replace function vault._encrypt(message bytea, nonce bytea, id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  root constant bytea := vault._root_key();
  ciphertext constant bytea := vault._cipher(message, vault._hmac('encrypt'::bytea, root), nonce);
begin
  return pg_catalog.translate(pg_catalog.encode(
    ciphertext || vault._hmac(
      nonce || pg_catalog.uuid_send(id) || ciphertext, vault._hmac('authenticate'::bytea, root)),
    'base64'), E'\n', '');
end
$$;
create or replace function vault._decrypt(secret text, nonce bytea, id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  root constant bytea := vault._root_key();
  sealed constant bytea := pg_catalog.decode(secret, 'base64');
  ciphertext constant bytea := pg_catalog.substr(sealed, 1, pg_catalog.length(sealed) - 32);
begin
  if pg_catalog.substr(sealed, pg_catalog.length(sealed) - 31) is distinct from vault._hmac(
    nonce || pg_catalog.uuid_send(id) || ciphertext, vault._hmac('authenticate'::bytea, root))
  then
    raise exception using errcode = '39000', message = 'the secret cannot be decrypted: it was changed, or the key is another one';
  end if;
  return pg_catalog.convert_from(vault._decipher(ciphertext, vault._hmac('encrypt'::bytea, root), nonce), 'UTF8');
end
$$;
create or replace function vault.create_secret(
  new_secret text,
  new_name text default null,
  new_description text default '',
  new_key_id uuid default null
) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  new_id constant uuid := pg_catalog.gen_random_uuid();
  new_nonce constant bytea := vault._random(16);
begin
  insert into vault.secrets (id, name, description, secret, key_id, nonce)
  values (new_id, new_name, coalesce(new_description, ''),
    vault._encrypt(pg_catalog.convert_to(new_secret, 'UTF8'), new_nonce, new_id), new_key_id, new_nonce);
  return new_id;
end
$$;
create or replace function vault.update_secret(
  secret_id uuid,
  new_secret text default null,
  new_name text default null,
  new_description text default null,
  new_key_id uuid default null
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  new_nonce constant bytea := vault._random(16);
begin
  update vault.secrets s
  set name = coalesce(new_name, s.name),
      description = coalesce(new_description, s.description),
      key_id = coalesce(new_key_id, s.key_id),
      secret = case when new_secret is null then s.secret
        else vault._encrypt(pg_catalog.convert_to(new_secret, 'UTF8'), new_nonce, s.id) end,
      nonce = case when new_secret is null then s.nonce else new_nonce end,
      updated_at = pg_catalog.now()
  where s.id = secret_id;
end
$$;
    $script$, '@pgcrypto@', place);
    if exists (select from pg_catalog.pg_extension where extname = 'supabase_vault') then
      foreach added in array array['_hmac(bytea, bytea)', '_cipher(bytea, bytea, bytea)', '_decipher(bytea, bytea, bytea)', '_random(int)']
      loop
        execute 'alter extension supabase_vault add function vault.' || added;
      end loop;
    end if;
  end if;

  -- Updates pg_cron.
  if to_regprocedure('cron._claim(int)') is not null and to_regprocedure('cron._note_end(bigint,text,text)') is null
    and exists (select from pg_catalog.pg_extension where extname = 'pg_cron')
    and exists (
      select from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner
      where n.nspname = 'cron' and r.rolsuper)
  then
    execute $script$
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

create or replace function cron._claim(slots int, out runs jsonb, out skipped int, out next_ms int)
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
  -- `greatest` is inside the aggregate because outside of it, `greatest` would turn the null that means "no jobs" into
  -- 0, and the scheduler would poll continuously.
  select min(greatest(0, ceil(1000 * extract(epoch from case
      when (t.spec).every_seconds is not null and not cron._is_running(t.jobid)
        then t.due_at + make_interval(secs => (t.spec).every_seconds)
      else date_trunc('minute', moment) + interval '1 minute'
    end - clock_timestamp()))))
    into next_ms
    from cron.job j join cron._timetable t using (jobid) where j.active;
end
$$;

create or replace function cron._sweep() returns void
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
-- call these functions. If someone replaced the schema in the meantime, the replacement's functions would run only with
-- that role's privileges.
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
revoke all on function cron._claim(int), cron._sweep(), cron._note_session(bigint, int), cron._note_end(bigint, text, text),
  cron._gone(bigint[]), cron._delete_old(interval, int), cron._run_now(bigint) from public;
grant usage on schema cron to supabase_functions_admin;
grant execute on function cron._claim(int), cron._sweep(), cron._note_session(bigint, int), cron._note_end(bigint, text, text),
  cron._gone(bigint[]), cron._delete_old(interval, int) to supabase_functions_admin;
grant execute on function cron._run_now(bigint) to postgres;
    $script$;
    foreach added in array array['_check_scheduler()', '_note_session(bigint, int)', '_note_end(bigint, text, text)', '_gone(bigint[])',
      '_delete_old(interval, int)', '_run_now(bigint)']
    loop
      execute 'alter extension pg_cron add function cron.' || added;
    end loop;
  end if;

  -- Updates http. The function loses the privileges of the extension's owner, so requests fail until `drop extension
  -- http; create extension http` is run.
  for added in
    select p.oid::regprocedure::text from pg_catalog.pg_proc p
    join pg_catalog.pg_roles r on r.oid = p.proowner
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
      and d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
    join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = 'http'
    where p.proname = 'http' and p.prosecdef and r.rolsuper
  loop
    execute format('alter function %s security invoker', added);
  end loop;
end
$plinth$;
