-- Email and text messages that are captured in development instead of being sent.
create table _plinth.captured_messages (
  id text primary key,
  kind text not null check (kind in ('mail', 'sms')),
  from_name text not null,
  from_address text not null,
  recipient text not null,
  subject text not null,
  html text not null,
  text text not null,
  headers jsonb not null default '{}',
  is_read boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  ordinal bigint generated always as identity
);
comment on table _plinth.captured_messages is 'The inbox of development, as GET /api/v1/messages shows it.';
create index captured_messages_ordinal_idx on _plinth.captured_messages (ordinal desc);
