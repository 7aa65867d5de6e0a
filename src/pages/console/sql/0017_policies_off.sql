-- Policies that operators turned off. PostgreSQL can't disable a policy, so it's dropped, and its definition is kept
-- here until it's turned on again (policies/turned-off.ts).
create table _plinth.policies_off (
  schema_name text not null,
  table_name text not null,
  name text not null,
  policy jsonb not null,
  primary key (schema_name, table_name, name)
);
