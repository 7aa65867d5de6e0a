-- Statements that a start with --keep-going has skipped. They remain until `db reset` creates the database again. Their
-- file is considered applied. `postgres` writes to this table in the same transaction as the file's last statements.

create table _plinth.project_failures (
  id bigint generated always as identity primary key,
  file text not null,
  line int not null,
  statement text not null,
  code text not null,
  message text not null
);

grant select, insert, delete on _plinth.project_failures to postgres;
