-- Operators' actions in the Console and on the command line. Entries can only be added. A trigger rejects every change,
-- and the role that runs operators' own SQL (`postgres`) doesn't own the table and can only read it.
create table _plinth.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- Null for the command line. The column has no foreign key, because entries are kept after their operator is deleted.
  operator_id uuid,
  operator_name text not null,
  action text not null check (action <> ''),
  target text not null,
  detail jsonb not null default '{}',
  request_id text
);

insert into _plinth.audit_log (at, operator_id, operator_name, action, target, detail, request_id)
  select at, operator_id, operator_name, action, '', detail, request_id from _plinth.operator_audit order by id;

delete from _plinth.guarded
  where relid = '_plinth.operator_audit'::regclass;
drop table _plinth.operator_audit;

create index audit_log_operator on _plinth.audit_log (operator_name, id desc);
create index audit_log_action on _plinth.audit_log (action, id desc);

create function _plinth.refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception using
    errcode = '42501',
    message = 'the audit log is only ever added to';
end
$$;

create trigger audit_log_is_kept before update or delete or truncate on _plinth.audit_log
  for each statement execute function _plinth.refuse_change();
alter table _plinth.audit_log enable always trigger audit_log_is_kept;
