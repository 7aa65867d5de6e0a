-- The SQL page's tables: each operator's history, and saved queries that all operators share.
create table _plinth.sql_history (
  id bigint generated always as identity primary key,
  operator_id uuid not null references _plinth.operators on delete cascade,
  text text not null,
  -- The persona in the format of the `as` parameter in URLs.
  persona text not null,
  -- The error. Null if the run succeeded.
  error text,
  duration_ms float8 not null,
  at timestamptz not null default now()
);
create index sql_history_operator on _plinth.sql_history (operator_id, id desc);

create table _plinth.saved_queries (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> ''),
  text text not null,
  saved_by text not null,
  saved_at timestamptz not null default now()
);
