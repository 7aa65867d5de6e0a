-- Limits per address and per hour. They are counted in the database so that all of its processes share them. The table
-- is unlogged, so no request waits for a disk write. After a crash, the counts start from zero.
create unlogged table _plinth.rate_limits (
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.rate_limits is 'When each bucket of permissions is full again; a row whose time has passed says nothing.';
