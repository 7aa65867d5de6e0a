-- The schemas with their owners and the roles that can use them, the default privileges, and the publication.
do $$
begin
  -- In Plinth's own cluster, `public` has this owner from the start. On a copy of another cluster, it may differ.
  if _plinth.is_own_cluster() then
    alter schema public owner to pg_database_owner;
  end if;
end
$$;
select _plinth.attempt('grant usage on schema public to postgres, anon, authenticated, service_role');
select _plinth.attempt('grant create on schema public to postgres');

do $$
declare
  wanted record;
  four constant text := 'postgres, anon, authenticated, service_role';
begin
  for wanted in
    select * from (values
      ('extensions', 'postgres', four || ', dashboard_user'),
      ('auth', null, four || ', dashboard_user'),
      ('storage', null, four),
      ('realtime', null, four),
      ('_realtime', 'postgres', null),
      ('graphql', null, four),
      ('graphql_public', null, four),
      ('vault', null, 'service_role'),
      ('supabase_functions', null, four)
    ) as schemas (name, owner, users)
  loop
    execute format('create schema if not exists %I', wanted.name);
    if wanted.owner is not null then
      perform _plinth.attempt(format('alter schema %I owner to %I', wanted.name, wanted.owner));
    end if;
    if wanted.users is not null then
      perform _plinth.attempt(format('grant usage on schema %I to %s', wanted.name, wanted.users));
    end if;
  end loop;
end
$$;

-- The service roles create and own the objects in these schemas.
select _plinth.attempt('grant all on schema auth to supabase_auth_admin');
select _plinth.attempt('grant all on schema storage to supabase_storage_admin with grant option');
select _plinth.attempt('grant all on schema realtime to supabase_realtime_admin with grant option');
select _plinth.attempt('grant all on schema _realtime to supabase_realtime_admin');
select _plinth.attempt('grant all on schema supabase_functions to supabase_functions_admin');
select _plinth.attempt('grant all on schema auth, extensions to dashboard_user');
select _plinth.attempt('grant all on schema storage to dashboard_user');
select _plinth.attempt('grant usage on schema storage, realtime, vault to postgres with grant option');
select _plinth.attempt('grant usage on schema graphql, graphql_public to postgres with grant option');
do $$
begin
  perform _plinth.attempt(format('grant create, connect, temporary on database %I to supabase_auth_admin', current_database()));
  perform _plinth.attempt(format('grant create on database %I to postgres', current_database()));
  perform _plinth.attempt(format('grant all on database %I to dashboard_user', current_database()));
end
$$;
select _plinth.attempt('grant usage on schema extensions, public to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin');

-- Default privileges depend on the role that creates an object, so each creating role needs its own entries. A
-- superuser owns the objects of an extension that `postgres` creates. The API roles therefore have no default
-- privileges on objects of `supabase_admin`, and only have the privileges that the extension grants to PUBLIC.
do $$
declare
  wanted record;
  kind text;
begin
  for wanted in
    select * from (values
      ('postgres', 'public', 'postgres, anon, authenticated, service_role'),
      ('supabase_admin', 'public', 'postgres'),
      ('supabase_auth_admin', 'auth', 'postgres, dashboard_user'),
      ('postgres', 'storage', 'postgres, anon, authenticated, service_role'),
      ('supabase_admin', 'realtime', 'postgres, dashboard_user'),
      ('supabase_admin', 'extensions', 'postgres with grant option'),
      ('supabase_admin', 'graphql', 'postgres'),
      ('supabase_admin', 'graphql_public', 'postgres'),
      ('supabase_admin', 'supabase_functions', 'postgres')
    ) as defaults (maker, schema, users)
  loop
    foreach kind in array array['tables', 'sequences', 'functions'] loop
      perform _plinth.attempt(format('alter default privileges for role %I in schema %I grant all on %s to %s',
        wanted.maker, wanted.schema, kind, wanted.users));
    end loop;
  end loop;
  -- An account that can't switch to `postgres` runs the project's migrations itself.
  if not pg_catalog.pg_has_role('postgres', 'member') then
    foreach kind in array array['tables', 'sequences', 'functions'] loop
      execute pg_catalog.format(
        'alter default privileges in schema public grant all on %s to anon, authenticated, service_role', kind);
    end loop;
  end if;
end
$$;

-- The publication is empty because users add their tables. Its name must not change because some projects drop and
-- recreate it.
do $$
begin
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    perform _plinth.attempt('alter publication supabase_realtime owner to postgres');
  end if;
end
$$;
