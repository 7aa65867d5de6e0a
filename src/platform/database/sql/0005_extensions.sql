-- Creates the extensions that every project starts with. In Plinth's own cluster, they belong to `postgres`, so that a
-- project's `drop extension pg_net` works as on the hosted service. Their scripts still run as the superuser.
do $$
declare
  wanted text;
begin
  if _plinth.is_own_cluster() then
    set local role postgres;
    create extension if not exists pgcrypto with schema extensions;
    create extension if not exists "uuid-ossp" with schema extensions;
    create extension if not exists supabase_vault;
    create extension if not exists pg_net with schema extensions;
    reset role;
  else
    -- Both extensions are trusted, so an owner without superuser privileges can create them. In that case, plain files
    -- create the objects of vault and pg_net (external/sql-only.ts).
    foreach wanted in array array['pgcrypto', 'uuid-ossp'] loop
      perform _plinth.attempt(format('create extension if not exists %I with schema extensions', wanted));
    end loop;
  end if;
  -- The extension's view requires the preloaded library. A role that can't read the setting can't create the extension
  -- either.
  if exists (
    select from pg_catalog.pg_settings where name = 'shared_preload_libraries' and setting ~ 'pg_stat_statements'
  ) then
    perform _plinth.attempt('create extension if not exists pg_stat_statements with schema extensions');
    for wanted in
      select p.oid::regprocedure::text from pg_catalog.pg_proc p
      where p.proname = 'pg_stat_statements_reset' and p.pronamespace = 'extensions'::regnamespace
    loop
      perform _plinth.attempt(format('grant execute on function %s to postgres', wanted));
    end loop;
  end if;
end
$$;

-- Grants the privileges of the hosted service (test/database/hosted-grants.txt) on extensions that an external server
-- already has. Plinth's own scripts contain their grants.
do $$
begin
  if to_regclass('vault.secrets') is not null then
    perform _plinth.attempt('grant references, truncate on vault.secrets, vault.decrypted_secrets to postgres with grant option');
    perform _plinth.attempt(
      'grant execute on function vault.create_secret, vault.update_secret to postgres with grant option');
    -- `plinth migrate` inserts a secret's row with its ID and then sets the value with `vault.update_secret`.
    if has_table_privilege('vault.secrets', 'insert with grant option') then
      grant insert (id, name, description, secret, created_at) on vault.secrets to postgres;
    end if;
  end if;
  if to_regclass('cron.job_run_details') is not null then
    perform _plinth.attempt('grant truncate on cron.job_run_details to postgres with grant option');
    perform _plinth.attempt('grant execute on function cron.schedule(text, text), cron.schedule(text, text, text), '
      'cron.unschedule(bigint), cron.unschedule(text) to postgres with grant option');
  end if;
end
$$;
