-- Updates vaults that exist already. The scripts of new vaults (src/database/extensions) make the same changes. A row that
-- was inserted without one of the vault's functions was stored in plain text, and reading it failed for all secrets.
do $plinth$
begin
  if not exists (
    select from pg_catalog.pg_proc
    where oid = pg_catalog.to_regprocedure('vault._encrypt(bytea,bytea,uuid)') and proowner = current_user::regrole
  ) then
    return;
  end if;
  execute $script$
create or replace function vault._decrypt(secret text, nonce bytea, id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  root constant bytea := vault._root_key();
  sealed bytea;
  ciphertext bytea;
begin
  begin
    sealed := pg_catalog.decode(secret, 'base64');
    ciphertext := pg_catalog.substr(sealed, 1, pg_catalog.length(sealed) - 32);
  exception when data_exception then
    sealed := null;
  end;
  if sealed is null or pg_catalog.substr(sealed, pg_catalog.length(sealed) - 31) is distinct from vault._hmac(
    nonce || pg_catalog.uuid_send(id) || ciphertext, vault._hmac('authenticate'::bytea, root))
  then
    raise warning using errcode = '39000',
      message = pg_catalog.format('the secret %s cannot be decrypted: it was changed, or the key is another one', id);
    return null;
  end if;
  return pg_catalog.convert_from(vault._decipher(ciphertext, vault._hmac('encrypt'::bytea, root), nonce), 'UTF8');
end
$$;
create or replace function vault._encrypt_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  new.nonce := vault._random(16);
  new.secret := vault._encrypt(pg_catalog.convert_to(new.secret, 'UTF8'), new.nonce, new.id);
  return new;
end
$$;
revoke all on function vault._encrypt_row() from public;
create or replace trigger encrypt_secret before insert on vault.secrets
  for each row when (new.nonce is null) execute function vault._encrypt_row();
alter table vault.secrets enable always trigger encrypt_secret;
  $script$;
  if exists (
    select from pg_catalog.pg_extension e
    where e.extname = 'supabase_vault' and not exists (
      select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = 'vault._encrypt_row()'::regprocedure
        and d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid)
  ) then
    alter extension supabase_vault add function vault._encrypt_row();
  end if;
  -- 0025 granted this privilege, but a vault that was created again lacks it.
  grant insert (id, name, description, secret, created_at) on vault.secrets to postgres;
  execute $script$
    with plain as materialized (select id as plain_id, vault._random(16) as fresh from vault.secrets where nonce is null)
    update vault.secrets set nonce = fresh,
      secret = vault._encrypt(pg_catalog.convert_to(secret, 'UTF8'), fresh, id)
    from plain where id = plain_id
  $script$;
end
$plinth$;
