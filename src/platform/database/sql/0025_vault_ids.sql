-- A migrated project keeps the IDs of its vault secrets, because tables can refer to them. `vault.create_secret` always
-- chooses the ID, so `plinth migrate` inserts the row and then sets the value with `vault.update_secret`. A row without
-- a valid ciphertext can't be decrypted, so the privilege doesn't reveal anything.
do $$
begin
  if to_regclass('vault.secrets') is not null
    and has_table_privilege('vault.secrets', 'insert with grant option') then
    grant insert (id, name, description, secret, created_at) on vault.secrets to postgres;
  end if;
end
$$;
