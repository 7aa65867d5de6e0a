-- A used link is kept until it expires, so that its page can say that the account is already secured (decision 64).
alter table _plinth.event_reversals add column used_at timestamptz;
comment on column _plinth.event_reversals.used_at is 'When the link lost its effect, because it or an earlier link was used.';
