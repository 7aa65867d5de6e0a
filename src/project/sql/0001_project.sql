-- The progress of the user's supabase/ folder, so that an interrupted first start continues where it stopped.
-- `postgres` writes here, in the same transaction as the user's own statements.

create table _plinth.project_steps (
  step text primary key,
  done_at timestamptz not null default now()
);

-- Files that cannot run in one transaction: how many of their steps are done. `digest` is that of the text of these.
create table _plinth.project_progress (
  file text primary key,
  steps int not null,
  digest text not null
);

grant usage on schema _plinth to postgres;
grant select, insert, update, delete on _plinth.project_steps, _plinth.project_progress to postgres;
