-- Counts consecutive wrong guesses per account and network or known browser. The following wait increases. A correct
-- guess ends the streak. As in _plinth.guesses, the key contains only hashes.
create table _plinth.guess_streaks (
  key text primary key,
  failures int not null,
  last_at timestamptz not null
);
comment on table _plinth.guess_streaks is 'Wrong guesses in a row at the secrets of an account from one network or browser.';
create index guess_streaks_last_at_idx on _plinth.guess_streaks (last_at);
