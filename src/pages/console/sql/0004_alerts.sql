-- Problems that alerts report, and the messages about them to the receivers in plinth.toml.

create table _plinth.alerts (
  id bigint generated always as identity primary key,
  -- Identifies the problem while it lasts.
  key text not null,
  kind text not null,
  severity text not null check (severity in ('error', 'warning')),
  title text not null,
  -- The Console's page that shows the problem, such as `/backups`.
  page text not null,
  since timestamptz not null,
  seen_at timestamptz not null,
  -- When the problem had lasted long enough to be reported.
  raised_at timestamptz,
  resolved_at timestamptz
);
create unique index alerts_open_idx on _plinth.alerts (key) where resolved_at is null;
create index alerts_since_idx on _plinth.alerts (since desc);

create table _plinth.alert_messages (
  id uuid primary key,
  alert_id bigint not null references _plinth.alerts on delete cascade,
  receiver text not null,
  -- The email address, or empty for receivers with a URL.
  address text not null,
  event text not null check (event in ('raised', 'reminder', 'resolved')),
  created_at timestamptz not null,
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  sent_at timestamptz,
  -- When the last attempt failed, after which the message is given up.
  failed_at timestamptz,
  error text
);
create index alert_messages_alert_idx on _plinth.alert_messages (alert_id);
create index alert_messages_due_idx on _plinth.alert_messages (next_attempt_at)
  where sent_at is null and failed_at is null;

-- The process that looks for problems. Other nodes take over when its lease has expired.
create table _plinth.alert_watch (
  is_only boolean primary key default true check (is_only),
  holder uuid not null,
  held_until timestamptz not null
);
