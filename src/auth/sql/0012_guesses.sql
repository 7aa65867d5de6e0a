-- Wrong guesses at secrets that people type, by account and by issued token (core/typed-secrets.ts). All processes on this
-- database share them. Logged, unlike the limits by address: a crash gives no guesses back.
create table _plinth.guesses (
  -- The kind of secret and a hash of the account or token: neither an address nor a code is readable here.
  key text primary key,
  full_at timestamptz not null
);
comment on table _plinth.guesses is 'When all guesses of an account or a token are available again; a row whose time has passed means nothing.';
create index guesses_full_at_idx on _plinth.guesses (full_at);
