-- Statements that a start with --keep-going left out, until `db reset` makes the database again. Their file counts as
-- applied, with the statements that ran. `postgres` writes here, in the transaction of the file's last statements.

create table _plinth.project_failures (
  id bigint generated always as identity primary key,
  file text not null,
  line int not null,
  statement text not null,
  code text not null,
  message text not null
);

grant select, insert, delete on _plinth.project_failures to postgres;
