-- What every project finds installed. pgcrypto and uuid-ossp are trusted, so an owner without superuser has them too.
select _plinth.attempt('create extension if not exists pgcrypto with schema extensions');
select _plinth.attempt('create extension if not exists "uuid-ossp" with schema extensions');
-- Its view only works where the library is preloaded; without that it is left out.
do $$
begin
  if current_setting('shared_preload_libraries') ~ 'pg_stat_statements' then
    perform _plinth.attempt('create extension if not exists pg_stat_statements with schema extensions');
  end if;
end
$$;
do $$
declare
  reset regprocedure;
begin
  for reset in
    select p.oid::regprocedure from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where p.proname = 'pg_stat_statements_reset' and n.nspname = 'extensions'
  loop
    perform _plinth.attempt(format('grant execute on function %s to postgres', reset));
  end loop;
end
$$;
