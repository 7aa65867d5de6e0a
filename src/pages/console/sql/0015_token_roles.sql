-- The role that a token is limited to. Null if the token has its operator's current role. A token never has more
-- permissions than the operator's current role, even if this column contains a more powerful role.
alter table _plinth.operator_tokens add column role text check (role in ('owner', 'developer', 'read-only'));
