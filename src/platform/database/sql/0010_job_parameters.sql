-- Settings for the workers of pg_net and pg_cron. `postgres` sets them with `alter role`, `alter database` or `set`.
do $$
declare
  parameter text;
begin
  if current_setting('server_version_num')::int < 150000 then
    return;
  end if;
  foreach parameter in array array['pg_net.batch_size', 'pg_net.ttl', 'cron.timezone'] loop
    perform _plinth.attempt(format('grant set on parameter %I to postgres', parameter));
  end loop;
end
$$;
