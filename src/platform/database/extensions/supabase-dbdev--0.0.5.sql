-- Replaces the package manager of database.dev, without its downloads. The packages that Plinth provides are ordinary
-- extensions, so nothing has to be installed.

create schema if not exists dbdev;

create function dbdev.install(package_name text) returns boolean
language plpgsql
as $$
begin
  if replace(package_name, '@', '-') in ('supabase-dbdev', 'basejump-supabase_test_helpers') then
    return true;
  end if;
  raise exception 'Plinth doesn''t download packages from database.dev: %', package_name
    using errcode = '0A000',
      hint = 'Add the package''s SQL to a migration, or to the first file in supabase/tests if only tests need it.';
end
$$;
