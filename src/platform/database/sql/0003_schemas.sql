-- Creates the schemas, and sets their owners and the roles that can use them.
do $$
begin
  -- In Plinth's own cluster, `public` has this owner from the start. An older database may have a different owner.
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
select _plinth.attempt('grant all on schema storage to supabase_storage_admin');
select _plinth.attempt('grant all on schema realtime to supabase_realtime_admin');
select _plinth.attempt('grant all on schema _realtime to supabase_realtime_admin');
select _plinth.attempt('grant all on schema supabase_functions to supabase_functions_admin');
select _plinth.attempt('grant all on schema auth, extensions to dashboard_user');
select _plinth.attempt('grant usage on schema storage, realtime, vault to postgres with grant option');
do $$
begin
  perform _plinth.attempt(format('grant create, connect, temporary on database %I to supabase_auth_admin', current_database()));
  perform _plinth.attempt(format('grant create on database %I to postgres', current_database()));
  perform _plinth.attempt(format('grant all on database %I to dashboard_user', current_database()));
end
$$;
select _plinth.attempt('grant usage on schema extensions, public to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, supabase_functions_admin');

-- Default privileges depend on the role that creates an object, so each creating role needs its own entries.
do $$
declare
  wanted record;
  kind text;
begin
  for wanted in
    select * from (values
      ('postgres', 'public', 'postgres, anon, authenticated, service_role', ''),
      ('supabase_admin', 'public', 'postgres, anon, authenticated, service_role', ''),
      ('supabase_auth_admin', 'auth', 'postgres, dashboard_user', ''),
      ('postgres', 'storage', 'postgres, anon, authenticated, service_role', ''),
      ('supabase_admin', 'realtime', 'postgres, dashboard_user', ''),
      ('supabase_admin', 'extensions', 'postgres', ' with grant option'),
      ('supabase_admin', 'graphql', 'postgres, anon, authenticated, service_role', ''),
      ('supabase_admin', 'graphql_public', 'postgres, anon, authenticated, service_role', ''),
      ('supabase_admin', 'supabase_functions', 'postgres, anon, authenticated, service_role', '')
    ) as defaults (maker, schema, users, suffix)
  loop
    foreach kind in array array['tables', 'sequences', 'functions'] loop
      perform _plinth.attempt(format('alter default privileges for role %I in schema %I grant all on %s to %s%s',
        wanted.maker, wanted.schema, kind, wanted.users, wanted.suffix));
    end loop;
  end loop;
end
$$;
