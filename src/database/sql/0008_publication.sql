-- Empty: users add their tables. The name is what counts, some drop it and make it anew.
do $$
begin
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    perform _plinth.attempt('alter publication supabase_realtime owner to postgres');
  end if;
end
$$;
