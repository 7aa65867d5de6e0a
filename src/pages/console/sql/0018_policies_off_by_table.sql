-- A policy that is turned off belongs to its table instead of the table's name, so that it follows a renamed table and
-- isn't offered for a new table with the same name. In COPY, a regclass value is a name, so an upgrade to another
-- major version, which changes the numbers of tables, keeps the reference.
alter table _plinth.policies_off add column table_id regclass;
update _plinth.policies_off set table_id = to_regclass(format('%I.%I', schema_name, table_name));
delete from _plinth.policies_off where table_id is null;
alter table _plinth.policies_off drop constraint policies_off_pkey,
  drop column schema_name, drop column table_name, add primary key (table_id, name);
