-- Limits by address and by the hour, counted here so that all processes on this database share them. Unlogged: after a
-- crash they begin anew, and no request waits for them to reach the disk.
create unlogged table _plinth.rate_limits (
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.rate_limits is 'When each bucket of permissions is full again; a row whose time has passed says nothing.';
