-- The progress of applying the user's supabase/ folder, so an interrupted first start can continue where it stopped.
-- `postgres` writes to these tables in the same transaction as the user's own statements.

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

-- Statements that a start with --keep-going has skipped. They remain until `db reset` creates the database again. Their
-- file is considered applied.
create table _plinth.project_failures (
  id bigint generated always as identity primary key,
  file text not null,
  line int not null,
  statement text not null,
  code text not null,
  message text not null,
  -- The role and the search path with which the statement ran. The statement uses them again if it is retried after a
  -- later file.
  role text not null default 'none',
  search_path text not null default '"$user", public, extensions'
);

grant usage on schema _plinth to postgres;
grant select, insert, update, delete on _plinth.project_steps, _plinth.project_progress to postgres;
grant select, insert, delete, update (code, message) on _plinth.project_failures to postgres;
