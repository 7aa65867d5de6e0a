-- The role and the search path with which a skipped statement ran. The statement uses them again if it is retried after
-- a later file.

alter table _plinth.project_failures add column role text not null default 'none';
alter table _plinth.project_failures add column search_path text not null default '"$user", public, extensions';

grant update (code, message) on _plinth.project_failures to postgres;
