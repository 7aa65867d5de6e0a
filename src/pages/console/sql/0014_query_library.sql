-- Adds an owner, a folder and a visibility to saved queries. A shared query is visible to all operators, and a private
-- query only to its owner.
alter table _plinth.saved_queries
  drop constraint saved_queries_name_key,
  add column owner_id uuid references _plinth.operators on delete set null,
  add column owner_name text,
  add column folder text not null default '',
  add column is_shared boolean not null default false,
  -- The parameter values and the charts.
  add column view jsonb not null default '{}';

update _plinth.saved_queries q set
  is_shared = true,
  owner_name = q.saved_by,
  owner_id = (select o.id from _plinth.operators o where o.name = q.saved_by);

alter table _plinth.saved_queries alter column owner_name set not null;

create unique index saved_queries_owner_name on _plinth.saved_queries (owner_id, folder, name);

-- Private queries are deleted with their owner. Shared queries are kept.
create function _plinth.delete_private_queries() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from _plinth.saved_queries where owner_id = old.id and not is_shared;
  return old;
end
$$;

create trigger delete_private_queries before delete on _plinth.operators
  for each row execute function _plinth.delete_private_queries();
