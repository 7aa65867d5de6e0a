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
