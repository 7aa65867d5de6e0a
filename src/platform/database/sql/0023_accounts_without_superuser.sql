-- An account without superuser privileges can transfer a function only to a role that can create objects in the
-- function's schema. Storage revokes the privilege after its functions have been transferred.
do $$
declare
  kind text;
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    return;
  end if;
  grant usage, create on schema _plinth to supabase_storage_admin;
  -- If the account can't switch to `postgres`, it runs the project's migrations itself.
  if not pg_catalog.pg_has_role('postgres', 'member') then
    foreach kind in array array['tables', 'sequences', 'functions'] loop
      execute pg_catalog.format(
        'alter default privileges in schema public grant all on %s to anon, authenticated, service_role', kind);
    end loop;
  end if;
end
$$;
