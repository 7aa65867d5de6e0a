-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Secrets are encrypted with AES-256-CBC and a fresh nonce, and then authenticated together with the nonce and the ID,
-- so that a row's ciphertext can't be moved to another row. The embedded server stores the root key in a file with mode
-- 0600 in its data folder. Other servers store it in a table that only its owner can read.

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
create unique index secrets_name_idx on vault.secrets (name) where name is not null;
alter table vault.secrets enable row level security;
comment on table vault.secrets is 'Encrypted secrets; read them through vault.decrypted_secrets.';

create table vault.fallback_key (
  only_one boolean primary key default true check (only_one),
  root_key bytea not null
);
revoke all on vault.fallback_key from public;

-- Wrappers for the pgcrypto functions that vault needs. The project owns pgcrypto's schema and could rename it, then
-- create another schema with the same name. These function bodies are parsed when they are created and therefore
-- reference the functions themselves, whereas names would be resolved on each call.
create function vault._hmac(message bytea, key bytea) returns bytea language sql immutable
begin atomic select @extschema:pgcrypto@.hmac(message, key, 'sha256'); end;
create function vault._cipher(message bytea, key bytea, nonce bytea) returns bytea language sql immutable
begin atomic select @extschema:pgcrypto@.encrypt_iv(message, key, nonce, 'aes-cbc/pad:pkcs'); end;
create function vault._decipher(message bytea, key bytea, nonce bytea) returns bytea language sql immutable
begin atomic select @extschema:pgcrypto@.decrypt_iv(message, key, nonce, 'aes-cbc/pad:pkcs'); end;
create function vault._random(bytes int) returns bytea language sql volatile
begin atomic select @extschema:pgcrypto@.gen_random_bytes(bytes); end;
revoke all on function vault._hmac(bytea, bytea), vault._cipher(bytea, bytea, bytea), vault._decipher(bytea, bytea, bytea),
  vault._random(int) from public;

create function vault._root_key() returns bytea
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  hex text;
  root bytea;
begin
  begin
    hex := pg_catalog.pg_read_file('plinth_vault.key', 0, 1000, true);
  exception when insufficient_privilege then
    hex := null;
  end;
  if hex is not null then
    return pg_catalog.decode(pg_catalog.btrim(hex, E' \n'), 'hex');
  end if;
  select k.root_key into root from vault.fallback_key k;
  if root is null then
    insert into vault.fallback_key (root_key) values (vault._random(32))
      on conflict do nothing;
    select k.root_key into root from vault.fallback_key k;
  end if;
  return root;
end
$$;
revoke all on function vault._root_key() from public;

create function vault._encrypt(message bytea, nonce bytea, id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  root constant bytea := vault._root_key();
  ciphertext constant bytea := vault._cipher(message, vault._hmac('encrypt'::bytea, root), nonce);
begin
  return pg_catalog.translate(pg_catalog.encode(
    ciphertext || vault._hmac(
      nonce || pg_catalog.uuid_send(id) || ciphertext, vault._hmac('authenticate'::bytea, root)),
    'base64'), E'\n', '');
end
$$;
revoke all on function vault._encrypt(bytea, bytea, uuid) from public;

-- A view checks the caller's privileges on the functions that it calls, so readers of decrypted_secrets need EXECUTE on
-- this function. If a row was changed, the function returns null, so that the view still returns all other secrets.
create function vault._decrypt(secret text, nonce bytea, id uuid) returns text
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
revoke all on function vault._decrypt(text, bytea, uuid) from public;

-- Encrypts the value of a row that is inserted without one of the functions below, which set the nonce. Seeds that were
-- written for early versions of the original extension insert rows. The trigger also runs if the project has turned
-- ordinary triggers off.
create function vault._encrypt_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  new.nonce := vault._random(16);
  new.secret := vault._encrypt(pg_catalog.convert_to(new.secret, 'UTF8'), new.nonce, new.id);
  return new;
end
$$;
revoke all on function vault._encrypt_row() from public;
create trigger encrypt_secret before insert on vault.secrets
  for each row when (new.nonce is null) execute function vault._encrypt_row();
alter table vault.secrets enable always trigger encrypt_secret;

create view vault.decrypted_secrets as
  select s.id, s.name, s.description, s.secret,
    vault._decrypt(s.secret, s.nonce, s.id) as decrypted_secret,
    s.key_id, s.nonce, s.created_at, s.updated_at
  from vault.secrets s;

create function vault.create_secret(
  new_secret text,
  new_name text default null,
  new_description text default '',
  new_key_id uuid default null
) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  new_id constant uuid := pg_catalog.gen_random_uuid();
  new_nonce constant bytea := vault._random(16);
begin
  insert into vault.secrets (id, name, description, secret, key_id, nonce)
  values (new_id, new_name, coalesce(new_description, ''),
    vault._encrypt(pg_catalog.convert_to(new_secret, 'UTF8'), new_nonce, new_id), new_key_id, new_nonce);
  return new_id;
end
$$;
revoke all on function vault.create_secret(text, text, text, uuid) from public;

create function vault.update_secret(
  secret_id uuid,
  new_secret text default null,
  new_name text default null,
  new_description text default null,
  new_key_id uuid default null
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  new_nonce constant bytea := vault._random(16);
begin
  update vault.secrets s
  set name = coalesce(new_name, s.name),
      description = coalesce(new_description, s.description),
      key_id = coalesce(new_key_id, s.key_id),
      secret = case when new_secret is null then s.secret
        else vault._encrypt(pg_catalog.convert_to(new_secret, 'UTF8'), new_nonce, s.id) end,
      nonce = case when new_secret is null then s.nonce else new_nonce end,
      updated_at = pg_catalog.now()
  where s.id = secret_id;
end
$$;
revoke all on function vault.update_secret(uuid, text, text, text, uuid) from public;

grant usage on schema vault to postgres with grant option;
grant usage on schema vault to service_role;
grant select, delete, references, truncate on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant insert (id, name, description, secret, created_at) on vault.secrets to postgres;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid),
  vault._decrypt(text, bytea, uuid)
  to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid),
  vault.update_secret(uuid, text, text, text, uuid)
  to postgres with grant option;
grant execute on function vault._decrypt(text, bytea, uuid) to postgres;
