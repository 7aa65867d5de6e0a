-- The project owns the extension's objects, so a project that renames the schema and puts other functions in its place
-- can't do more than before. The exception is `_server_key`, which reads a file. It uses only pg_catalog.

do $$
declare
  wanted text;
begin
  foreach wanted in array '{pgsodium_keyiduser,pgsodium_keyholder,pgsodium_keymaker}'::text[] loop
    if not exists (select from pg_roles where rolname = wanted) then
      execute format('create role %I', wanted);
    end if;
    execute format('grant %I to postgres with admin option', wanted);
  end loop;
end
$$;
grant pgsodium_keyiduser to pgsodium_keyholder;
grant pgsodium_keyiduser to pgsodium_keymaker;
grant pgsodium_keyholder to pgsodium_keymaker;

create type pgsodium.key_status as enum ('default', 'valid', 'invalid', 'expired');
create type pgsodium.key_type as enum (
  'aead-ietf', 'aead-det', 'hmacsha512', 'hmacsha256', 'auth', 'shorthash', 'generichash', 'kdf', 'secretbox',
  'secretstream', 'stream_xchacha20');
create type pgsodium._key_id_context as (key_id bigint, key_context bytea);

create table pgsodium.key (
  id uuid primary key default gen_random_uuid(),
  status pgsodium.key_status default 'valid',
  created timestamptz not null default current_timestamp,
  expires timestamptz,
  key_type pgsodium.key_type,
  key_id bigserial,
  key_context bytea default '\x7067736f6469756d' constraint key_key_context_check check (length(key_context) = 8),
  name text constraint pgsodium_key_unique_name unique,
  associated_data text default 'associated',
  raw_key bytea,
  raw_key_nonce bytea,
  parent_key uuid references pgsodium.key (id),
  comment text,
  user_data text,
  constraint pgsodium_raw check (
    case when raw_key is not null then key_id is null and key_context is null and parent_key is not null
      else key_id is not null and key_context is not null and parent_key is null end)
);
alter table pgsodium.key alter key_id drop not null;
create index key_status_idx on pgsodium.key (status) where status in ('valid', 'default');
create unique index key_status_idx1 on pgsodium.key (status) where status = 'default';
create unique index key_key_id_key_context_key_type_idx on pgsodium.key (key_id, key_context, key_type);
select pg_extension_config_dump('pgsodium.key', '');

create view pgsodium.valid_key as
select id, name, status, key_type, key_id, key_context, created, expires, associated_data
from pgsodium.key
where status in ('valid', 'default') and (expires is null or expires > now());

-- Returns the key from which all other keys are derived. With a file `pgsodium_root.key` (64 hexadecimal digits) in the data
-- folder, this is the key of another installation, so its data can be decrypted. Otherwise, the key is derived from
-- Vault's.
create function pgsodium._server_key() returns bytea
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  written text := pg_catalog.pg_read_file('pgsodium_root.key', 0, 1000, true);
begin
  if written is not null then
    return pg_catalog.decode(pg_catalog.btrim(written, E' \r\n'), 'hex');
  end if;
  written := pg_catalog.pg_read_file('plinth_vault.key', 0, 1000, true);
  if written is null then
    raise exception using errcode = '55000', message = 'pgsodium: the data folder does not contain a key';
  end if;
  return pg_catalog.sha256('pgsodium of Plinth'::pg_catalog.bytea || pg_catalog.sha256(
    'pgsodium of Plinth'::pg_catalog.bytea || pg_catalog.decode(pg_catalog.btrim(written, E' \r\n'), 'hex')));
end
$$;

-- Random bytes. A random UUID has 122 random bits, so three of them have more than the 256 bits of a hash.
create function pgsodium.randombytes_buf(size int) returns bytea
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select coalesce(substr(string_agg(sha256(
      uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), ''), 1, size), '')
  from generate_series(1, size, 32)
$$;

create function pgsodium.crypto_kdf_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_kdf_derive_from_key(
  subkey_size bigint, subkey_id bigint, context bytea, primary_key bytea
) returns bytea
language plpgsql immutable strict set search_path = pg_catalog, pg_temp
as $$
begin
  if subkey_size not between 16 and 64 then
    raise exception using errcode = '22000', message = 'pgsodium: a derived key must have 16 to 64 bytes';
  end if;
  perform pgsodium._checked(context, 8, 'the context');
  return pgsodium._blake2b('', pgsodium._checked(primary_key, 32, 'the primary key'), subkey_size::int,
    reverse(int8send(subkey_id)), context);
end
$$;

create function pgsodium.derive_key(key_id bigint, key_len int default 32, context bytea default 'pgsodium') returns bytea
language sql stable strict security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_kdf_derive_from_key(key_len::bigint, key_id, context, pgsodium._server_key()) $$;

create function pgsodium.pgsodium_derive(key_id bigint, key_len int default 32, context bytea default 'pgsodium')
returns bytea
language sql stable strict as $$ select pgsodium.derive_key(key_id, key_len, context) $$;

-- Deterministic authenticated encryption: the authentication code is the nonce of XChaCha20.
create function pgsodium._double(d bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  result bytea := d;
begin
  for index in 0 .. 31 loop
    result := set_byte(result, index,
      ((get_byte(d, index) << 1) & 255) | case when index < 31 then get_byte(d, index + 1) >> 7 else 0 end);
  end loop;
  if get_byte(d, 0) > 127 then
    result := set_byte(set_byte(result, 30, get_byte(result, 30) # 4), 31, get_byte(result, 31) # 37);
  end if;
  return result;
end
$$;

create function pgsodium._det_code(message bytea, additional bytea, nonce bytea, key bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  d bytea := pgsodium._blake2b(decode(repeat('00', 32), 'hex'), key, 32);
  size constant int := length(message);
begin
  if length(additional) > 0 then
    d := pgsodium._xor(pgsodium._double(d), pgsodium._blake2b(additional, key, 32));
  end if;
  if length(nonce) > 0 then
    d := pgsodium._xor(pgsodium._double(d), pgsodium._blake2b(nonce, key, 32));
  end if;
  if size >= 32 then
    return pgsodium._blake2b(substr(message, 1, size - 32) || pgsodium._xor(d, substr(message, size - 31)), key, 32);
  end if;
  return pgsodium._blake2b(
    pgsodium._xor(pgsodium._double(d), pgsodium._padded(message || '\x80'::bytea, 32)), key, 32);
end
$$;

create function pgsodium._xchacha20_xor(message bytea, nonce bytea, key bytea) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select pgsodium._xor(message, pgsodium._stream('chacha',
    pgsodium._subkey('chacha', key, substr(nonce, 1, 16)), substr(nonce, 17, 8), length(message), 0))
$$;

create function pgsodium.crypto_aead_det_encrypt(message bytea, additional bytea, key bytea, nonce bytea default null)
returns bytea
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  keys bytea;
  code bytea;
begin
  if message is null or key is null then
    return null;
  end if;
  keys := pgsodium._blake2b('', pgsodium._checked(key, 32, 'the key'), 64);
  code := pgsodium._det_code(message, additional, pgsodium._checked(nonce, 16, 'the nonce'), substr(keys, 1, 32));
  return pgsodium._xchacha20_xor(message, code, substr(keys, 33)) || code;
end
$$;

create function pgsodium.crypto_aead_det_decrypt(ciphertext bytea, additional bytea, key bytea, nonce bytea default null)
returns bytea
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  size constant int := length(ciphertext) - 32;
  keys bytea;
  message bytea;
begin
  if ciphertext is null or key is null then
    return null;
  elsif size < 0 then
    return pgsodium._forged();
  end if;
  keys := pgsodium._blake2b('', pgsodium._checked(key, 32, 'the key'), 64);
  message := pgsodium._xchacha20_xor(substr(ciphertext, 1, size), substr(ciphertext, size + 1), substr(keys, 33));
  if not pgsodium._is_equal(substr(ciphertext, size + 1), pgsodium._det_code(
    message, additional, pgsodium._checked(nonce, 16, 'the nonce'), substr(keys, 1, 32))) then
    return pgsodium._forged();
  end if;
  return message;
end
$$;

create function pgsodium.crypto_aead_det_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;
create function pgsodium.crypto_aead_det_noncegen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(16) $$;

-- Returns the bytes of a key in the table: those that were stored, or those that are derived.
create function pgsodium._raw(id uuid) returns bytea
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  k pgsodium.key;
begin
  select * into strict k from pgsodium.key each where each.id = _raw.id;
  return case
    when k.raw_key is null then pgsodium.derive_key(k.key_id, 32, k.key_context)
    else pgsodium.crypto_aead_det_decrypt(
      k.raw_key, convert_to(k.id || k.associated_data, 'UTF8'), pgsodium._raw(k.parent_key), k.raw_key_nonce)
  end;
end
$$;

-- Returns a valid key of a type, with the number of bytes that an algorithm needs.
create function pgsodium._key(id uuid, wanted pgsodium.key_type, size int) returns bytea
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  k pgsodium.key;
begin
  if id is null then
    return null;
  end if;
  select * into k from pgsodium.key each
  where each.id = _key.id and each.key_type = wanted and status in ('valid', 'default')
    and (expires is null or expires > now());
  if not found then
    raise exception using errcode = 'P0002', message = format('pgsodium: no valid key of type %s has the id %s', wanted, id);
  end if;
  return case when k.raw_key is null then pgsodium.derive_key(k.key_id, size, k.key_context) else pgsodium._raw(id) end;
end
$$;

create function pgsodium.key_encrypt_secret_raw_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if new.raw_key is not null then
    new.raw_key := pgsodium.crypto_aead_det_encrypt(
      new.raw_key, convert_to(new.id || new.associated_data, 'UTF8'), pgsodium._raw(new.parent_key), new.raw_key_nonce);
  end if;
  return new;
end
$$;
-- As in the original, a restore must use `session_replication_role = replica`, because its rows contain encrypted keys.
create trigger key_encrypt_secret_trigger_raw_key before insert or update of raw_key on pgsodium.key
  for each row execute function pgsodium.key_encrypt_secret_raw_key();

create view pgsodium.decrypted_key as
select id, status, created, expires, key_type, key_id, key_context, name, associated_data, raw_key,
  case when raw_key is null then null else pgsodium._raw(id) end as decrypted_raw_key,
  raw_key_nonce, parent_key, comment
from pgsodium.key;

create function pgsodium.create_key(
  key_type pgsodium.key_type default 'aead-det',
  name text default null,
  raw_key bytea default null,
  raw_key_nonce bytea default null,
  parent_key uuid default null,
  key_context bytea default 'pgsodium',
  expires timestamptz default null,
  associated_data text default ''
) returns pgsodium.valid_key
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  made uuid;
  result pgsodium.valid_key;
begin
  insert into pgsodium.key (
    key_id, key_context, key_type, raw_key, raw_key_nonce, parent_key, expires, name, associated_data
  ) values (
    case when create_key.raw_key is null then nextval('pgsodium.key_key_id_seq'::regclass) end,
    case when create_key.raw_key is null then create_key.key_context end,
    create_key.key_type, create_key.raw_key,
    case when create_key.raw_key is not null
      then coalesce(create_key.raw_key_nonce, pgsodium.crypto_aead_det_noncegen()) end,
    case when create_key.raw_key is not null
      then coalesce(create_key.parent_key, (pgsodium.create_key('aead-det'::pgsodium.key_type)).id)
      else create_key.parent_key end,
    create_key.expires, create_key.name, create_key.associated_data
  ) returning id into made;
  select * into result from pgsodium.valid_key v where v.id = made;
  return result;
end
$$;

create function pgsodium.get_key_by_id(uuid) returns pgsodium.valid_key
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select * from pgsodium.valid_key where id = $1 $$;
create function pgsodium.get_key_by_name(text) returns pgsodium.valid_key
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select * from pgsodium.valid_key where name = $1 $$;
create function pgsodium.get_named_keys(filter text default '%') returns setof pgsodium.valid_key
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select * from pgsodium.valid_key where name ilike filter $$;
