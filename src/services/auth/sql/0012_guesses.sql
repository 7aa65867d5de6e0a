-- Counts wrong guesses at user-entered secrets, per account and per issued token (limits/typed-secrets.ts). All processes
-- that use this database share the counts. Unlike the limits per address, this table is logged, so a crash doesn't
-- reset the counts.
create table _plinth.guesses (
  -- The kind of secret, and a hash of the account or token. The hash ensures that the key doesn't reveal an address or
  -- code.
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.guesses is 'When all guesses of an account or a token are available again; a row whose time has passed means nothing.';
create index guesses_full_at_idx on _plinth.guesses (full_at);
