-- A grant to the cluster's first role fails with invalid_grant_operation if that role granted the privilege itself. This
-- role is a superuser, so it doesn't need the grant. `bootstrap-set.ts` applies this file before the other files that
-- need it.
create or replace function _plinth.attempt(statement text, since int default 0) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('server_version_num')::int < since then
    return;
  end if;
  execute statement;
exception
  when insufficient_privilege or undefined_object or feature_not_supported or invalid_grant_operation then
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
      raise;
    end if;
    insert into _plinth.refused (statement, reason) values ($1, sqlerrm)
      on conflict on constraint refused_pkey do update set reason = excluded.reason, refused_at = now();
end
$$;
