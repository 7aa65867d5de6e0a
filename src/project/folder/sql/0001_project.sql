-- The progress of applying the user's supabase/ folder, so an interrupted first start can continue where it stopped.
-- `postgres` writes to this table in the same transaction as the user's own statements.

create table _plinth.project_steps (
  step text primary key,
  done_at timestamptz not null default now()
);

-- Files that can't run in a single transaction, with the number of steps that are complete. `digest` is the hash of the
-- text of these steps.
create table _plinth.project_progress (
  file text primary key,
  steps int not null,
  digest text not null
);

grant usage on schema _plinth to postgres;
grant select, insert, update, delete on _plinth.project_steps, _plinth.project_progress to postgres;
