-- PostgreSQL checks a foreign key with the privileges of the referenced table's owner and casts the value during the
-- check. If that owner is a superuser, a cast of a project's own type would run as superuser, so such keys require a
-- built-in type.
create function _plinth.guard_foreign_keys() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  victim record;
begin
  select target.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type_name into victim
  from pg_constraint k
  join pg_class target on target.oid = k.confrelid
  join pg_roles r on r.oid = target.relowner and r.rolsuper
  join pg_class source on source.oid = k.conrelid and source.relowner <> target.relowner
  cross join lateral unnest(k.conkey, k.confkey) as pair (own, referenced)
  join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.own
  join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.referenced
  join pg_type t on t.oid = a.atttypid
  where k.contype = 'f' and a.atttypid <> b.atttypid and t.typnamespace <> 'pg_catalog'::regnamespace
  limit 1;
  if found then
    raise exception using
      errcode = '42501',
      message = format('permission denied for table %s', victim.table_name),
      detail = format('A foreign key to this table needs a column of a built-in type; %I has the type %s of the project.',
        victim.column_name, victim.type_name);
  end if;
end
$$;
select _plinth.attempt($$
  create event trigger plinth_guard_foreign_keys on ddl_command_end
    when tag in ('CREATE TABLE', 'ALTER TABLE', 'CREATE SCHEMA', 'CREATE EXTENSION', 'ALTER EXTENSION')
    execute function _plinth.guard_foreign_keys()
$$);
-- `postgres` can set session_replication_role, which disables ordinary event triggers.
select _plinth.attempt('alter event trigger plinth_guard_foreign_keys enable always');

-- Applies the grants of the hosted service (test/database/hosted-grants.txt). The scripts of extensions contain their
-- own grants.
do $$
begin
  if to_regclass('vault.secrets') is not null then
    perform _plinth.attempt('grant references, truncate on vault.secrets, vault.decrypted_secrets to postgres with grant option');
    perform _plinth.attempt(
      'grant execute on function vault.create_secret, vault.update_secret to postgres with grant option');
  end if;
  if to_regclass('cron.job_run_details') is not null then
    perform _plinth.attempt('grant truncate on cron.job_run_details to postgres with grant option');
    perform _plinth.attempt('grant execute on function cron.schedule(text, text), cron.schedule(text, text, text), '
      'cron.unschedule(bigint), cron.unschedule(text) to postgres with grant option');
  end if;
end
$$;
select _plinth.attempt('grant usage on schema graphql, graphql_public to postgres with grant option');
select _plinth.attempt('grant all on schema realtime to supabase_realtime_admin with grant option');
select _plinth.attempt('grant all on schema storage to dashboard_user');
select _plinth.attempt('revoke all on function supabase_functions.http_request() from public');
