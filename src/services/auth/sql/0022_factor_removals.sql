-- Requests to remove the second factors of users who have lost them (decision 73). A row exists until the factors are
-- removed or the request is canceled.
create table _plinth.factor_removals (
  -- The column has no foreign key, because another service may own auth.users.
  user_id uuid primary key,
  -- A SHA-256 hash of the token in the email that confirms the request.
  hash text not null unique,
  -- The language of later emails.
  language text,
  requested_at timestamptz not null,
  -- Null until the request is confirmed by email.
  due_at timestamptz,
  reminded_at timestamptz
);
comment on table _plinth.factor_removals is 'Requests to remove lost second factors after a waiting period.';
create index factor_removals_due_at_idx on _plinth.factor_removals (due_at) where due_at is not null;

grant select, insert, update, delete on _plinth.factor_removals to supabase_auth_admin;
