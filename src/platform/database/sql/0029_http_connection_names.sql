-- Gives an existing http extension the function of the extension's script. The connection string starts with a random
-- name, so that dblink can't find a foreign server or a connection with that name.
do $$
declare
  ask record;
begin
  if not _plinth.is_own_cluster() then
    return;
  end if;
  for ask in
    select format('%I.%I', n.nspname, p.proname) as name, format('%I._http_dblink', n.nspname) as dblink
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_roles r on r.oid = p.proowner and r.rolsuper
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
      and d.refclassid = 'pg_catalog.pg_extension'::regclass and d.deptype = 'e'
    join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = 'http'
    join pg_catalog.pg_proc c on c.pronamespace = n.oid and c.proname = '_http_dblink' and c.proowner = p.proowner
    where p.proname = '_http_ask' and p.prosecdef
  loop
    execute format($script$
create or replace function %s(question text) returns text
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  select reply.text from %s(
    format('application_name=%%s host=''%%s'' port=%%s user=plinth dbname=plinth gssencmode=disable',
      replace(gen_random_uuid()::text, '-', ''),
      replace(replace(trim(both '"' from split_part(current_setting('unix_socket_directories'), ',', 1)) || '/bridge',
        '\', '\\'), '''', '\'''),
      ('x' || substr(md5(current_database()), 1, 4))::bit(16)::int | 1),
    question) as reply (text text);
end
    $script$, ask.name, ask.dblink);
  end loop;
end
$$;
