-- Samples of pg_stat_statements, so that the Console can show statements over time and after a change.

-- The statements in the samples. A statement is the same query text by the same role.
create table _plinth.history_statements (
  id bigint not null,
  role text not null,
  text text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (id, role)
);

-- The calls in a minute or an hour. The ID 0 stands for all statements of a role that aren't stored individually.
create table _plinth.history_samples (
  step text not null check (step in ('minute', 'hour')),
  at timestamptz not null,
  id bigint not null,
  role text not null,
  calls float8 not null check (calls > 0),
  rows float8 not null,
  total_ms float8 not null,
  -- The sum of the squared deviations of the durations from their mean. Null if unknown.
  squares float8,
  primary key (step, at, id, role)
);
create index history_samples_statement on _plinth.history_samples (id, role, step, at);

-- The events that charts mark: applied migrations and started servers.
create table _plinth.history_marks (
  kind text not null check (kind in ('migration', 'start')),
  name text not null,
  -- `-infinity` for migrations that were applied before the first sample.
  at timestamptz not null,
  primary key (kind, name)
);
create index history_marks_at on _plinth.history_marks (at);

-- The process that takes the samples. Other nodes take over when its lease has expired.
create table _plinth.history_sampler (
  is_only boolean primary key default true check (is_only),
  holder uuid not null,
  held_until timestamptz not null,
  began_at timestamptz not null default now()
);
