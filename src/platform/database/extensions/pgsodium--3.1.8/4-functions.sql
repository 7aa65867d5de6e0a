-- The functions that encrypt, authenticate and hash. Each one with a key also exists with a key's number, from which the
-- key is derived, and with the ID of a key in the table.

create function pgsodium.crypto_aead_det_encrypt(message bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_det_encrypt(message, additional, pgsodium.derive_key(key_id, 32, context), nonce) $$;

create function pgsodium.crypto_aead_det_encrypt(message bytea, additional bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_det_encrypt(message, additional, pgsodium._key(key_uuid, 'aead-det'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_aead_det_encrypt(message bytea, additional bytea, key_uuid uuid, nonce bytea) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_det_encrypt(message, additional, pgsodium._key(key_uuid, 'aead-det'::pgsodium.key_type, 32), nonce) $$;

create function pgsodium.crypto_aead_det_decrypt(ciphertext bytea, additional bytea, key_id bigint, context bytea default 'pgsodium', nonce bytea default null) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_det_decrypt(ciphertext, additional, pgsodium.derive_key(key_id, 32, context), nonce) $$;

create function pgsodium.crypto_aead_det_decrypt(ciphertext bytea, additional bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_det_decrypt(ciphertext, additional, pgsodium._key(key_uuid, 'aead-det'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_aead_det_decrypt(ciphertext bytea, additional bytea, key_uuid uuid, nonce bytea) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_det_decrypt(ciphertext, additional, pgsodium._key(key_uuid, 'aead-det'::pgsodium.key_type, 32), nonce) $$;

create function pgsodium.crypto_secretbox(message bytea, nonce bytea, key bytea) returns bytea
language plpgsql immutable strict set search_path = pg_catalog, pg_temp
as $$
declare
  subkey constant bytea := pgsodium._subkey(
    'salsa', pgsodium._checked(key, 32, 'the key'), substr(pgsodium._checked(nonce, 24, 'the nonce'), 1, 16));
  stream constant bytea := pgsodium._stream('salsa', subkey, substr(nonce, 17), length(message) + 32, 0);
  sealed constant bytea := pgsodium._xor(message, substr(stream, 33));
begin
  return pgsodium._poly1305(sealed, substr(stream, 1, 32)) || sealed;
end
$$;

create function pgsodium.crypto_secretbox_open(ciphertext bytea, nonce bytea, key bytea) returns bytea
language plpgsql immutable strict set search_path = pg_catalog, pg_temp
as $$
declare
  sealed constant bytea := substr(ciphertext, 17);
  subkey constant bytea := pgsodium._subkey(
    'salsa', pgsodium._checked(key, 32, 'the key'), substr(pgsodium._checked(nonce, 24, 'the nonce'), 1, 16));
  stream constant bytea := pgsodium._stream('salsa', subkey, substr(nonce, 17), length(sealed) + 32, 0);
begin
  if not pgsodium._is_equal(substr(ciphertext, 1, 16), pgsodium._poly1305(sealed, substr(stream, 1, 32))) then
    return pgsodium._forged();
  end if;
  return pgsodium._xor(sealed, substr(stream, 33));
end
$$;

create function pgsodium.crypto_secretbox(message bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_secretbox(message, nonce, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_secretbox(message bytea, nonce bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_secretbox(message, nonce, pgsodium._key(key_uuid, 'secretbox'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_secretbox_open(ciphertext bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_secretbox_open(ciphertext, nonce, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_secretbox_open(ciphertext bytea, nonce bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_secretbox_open(ciphertext, nonce, pgsodium._key(key_uuid, 'secretbox'::pgsodium.key_type, 32)) $$;

-- ChaCha20-Poly1305 (RFC 8439).
create function pgsodium._ietf_code(ciphertext bytea, additional bytea, nonce bytea, key bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select pgsodium._poly1305(
    case when length(additional) = 0 then '' else pgsodium._padded(additional, 16) end
    || case when length(ciphertext) = 0 then '' else pgsodium._padded(ciphertext, 16) end
    || reverse(int8send(length(additional))) || reverse(int8send(length(ciphertext))),
    pgsodium._stream('chacha', key, nonce, 32, 0))
$$;

create function pgsodium.crypto_aead_ietf_encrypt(message bytea, additional bytea, nonce bytea, key bytea) returns bytea
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  sealed constant bytea := pgsodium._xor(message, pgsodium._stream('chacha', pgsodium._checked(key, 32, 'the key'),
    pgsodium._checked(nonce, 12, 'the nonce'), length(message), 1));
begin
  return sealed || pgsodium._ietf_code(sealed, coalesce(additional, ''), nonce, key);
end
$$;

create function pgsodium.crypto_aead_ietf_decrypt(ciphertext bytea, additional bytea, nonce bytea, key bytea) returns bytea
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  size constant int := length(ciphertext) - 16;
begin
  if size < 0 or not pgsodium._is_equal(substr(ciphertext, size + 1), pgsodium._ietf_code(
    substr(ciphertext, 1, size), coalesce(additional, ''), pgsodium._checked(nonce, 12, 'the nonce'),
    pgsodium._checked(key, 32, 'the key'))) then
    return pgsodium._forged();
  end if;
  return pgsodium._xor(substr(ciphertext, 1, size), pgsodium._stream('chacha', key, nonce, size, 1));
end
$$;

create function pgsodium.crypto_aead_ietf_encrypt(message bytea, additional bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_ietf_encrypt(message, additional, nonce, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_aead_ietf_encrypt(message bytea, additional bytea, nonce bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_ietf_encrypt(message, additional, nonce, pgsodium._key(key_uuid, 'aead-ietf'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_aead_ietf_decrypt(ciphertext bytea, additional bytea, nonce bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_ietf_decrypt(ciphertext, additional, nonce, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_aead_ietf_decrypt(ciphertext bytea, additional bytea, nonce bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_aead_ietf_decrypt(ciphertext, additional, nonce, pgsodium._key(key_uuid, 'aead-ietf'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_auth(message bytea, key bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select substr(pgsodium._hmac(message, pgsodium._checked(key, 32, 'the key'), 512), 1, 32) $$;

create function pgsodium.crypto_auth(message bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth(message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_auth(message bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth(message, pgsodium._key(key_uuid, 'auth'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_auth_verify(mac bytea, message bytea, key bytea) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._is_equal(mac, pgsodium.crypto_auth(message, key)) $$;

create function pgsodium.crypto_auth_verify(mac bytea, message bytea, key_id bigint, context bytea default 'pgsodium') returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_verify(mac, message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_auth_verify(mac bytea, message bytea, key_uuid uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_verify(mac, message, pgsodium._key(key_uuid, 'auth'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_auth_hmacsha256(message bytea, key bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._hmac(message, key, 256) $$;

create function pgsodium.crypto_auth_hmacsha256(message bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha256(message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_auth_hmacsha256(message bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha256(message, pgsodium._key(key_uuid, 'hmacsha256'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_auth_hmacsha256_verify(hash bytea, message bytea, key bytea) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._is_equal(hash, pgsodium._hmac(message, key, 256)) $$;

create function pgsodium.crypto_auth_hmacsha256_verify(hash bytea, message bytea, key_id bigint, context bytea default 'pgsodium') returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha256_verify(hash, message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_auth_hmacsha256_verify(hash bytea, message bytea, key_uuid uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha256_verify(hash, message, pgsodium._key(key_uuid, 'hmacsha256'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_auth_hmacsha512(message bytea, key bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._hmac(message, key, 512) $$;

create function pgsodium.crypto_auth_hmacsha512(message bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha512(message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_auth_hmacsha512(message bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha512(message, pgsodium._key(key_uuid, 'hmacsha512'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_auth_hmacsha512_verify(hash bytea, message bytea, key bytea) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._is_equal(hash, pgsodium._hmac(message, key, 512)) $$;

create function pgsodium.crypto_auth_hmacsha512_verify(hash bytea, message bytea, key_id bigint, context bytea default 'pgsodium') returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha512_verify(hash, message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_auth_hmacsha512_verify(hash bytea, message bytea, key_uuid uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_auth_hmacsha512_verify(hash, message, pgsodium._key(key_uuid, 'hmacsha512'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_shorthash(message bytea, key bytea) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._siphash(message, pgsodium._checked(key, 16, 'the key')) $$;

create function pgsodium.crypto_shorthash(message bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_shorthash(message, pgsodium.derive_key(key_id, 16, context)) $$;

create function pgsodium.crypto_shorthash(message bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_shorthash(message, pgsodium._key(key_uuid, 'shorthash'::pgsodium.key_type, 16)) $$;

create function pgsodium.crypto_generichash(message bytea, key bytea default null) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select pgsodium._blake2b(message, coalesce(key, ''), 32) $$;

create function pgsodium.crypto_generichash(message bytea, key_id bigint, context bytea default 'pgsodium') returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_generichash(message, pgsodium.derive_key(key_id, 32, context)) $$;

create function pgsodium.crypto_generichash(message bytea, key_uuid uuid) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_generichash(message, pgsodium._key(key_uuid, 'generichash'::pgsodium.key_type, 32)) $$;

create function pgsodium.crypto_kdf_derive_from_key(
  subkey_size int, subkey_id bigint, context bytea, primary_key uuid
) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select pgsodium.crypto_kdf_derive_from_key(
    subkey_size::bigint, subkey_id, context, pgsodium._key(primary_key, 'kdf'::pgsodium.key_type, 32))
$$;

create function pgsodium.crypto_hash_sha256(message bytea) returns bytea
language sql immutable strict as $$ select pg_catalog.sha256(message) $$;
create function pgsodium.crypto_hash_sha512(message bytea) returns bytea
language sql immutable strict as $$ select pg_catalog.sha512(message) $$;
create function pgsodium.crypto_cmp(text, text) returns boolean
language sql immutable strict
as $$ select pgsodium._is_equal(pg_catalog.convert_to($1, 'UTF8'), pg_catalog.convert_to($2, 'UTF8')) $$;

create function pgsodium.crypto_secretbox_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_secretbox_noncegen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(24) $$;

create function pgsodium.crypto_aead_ietf_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_aead_ietf_noncegen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(12) $$;

create function pgsodium.crypto_auth_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_auth_hmacsha256_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_auth_hmacsha512_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_shorthash_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(16) $$;

create function pgsodium.crypto_generichash_keygen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.randombytes_new_seed() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.randombytes_random() returns int
language sql volatile set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(4)::int $$;
create function pgsodium.randombytes_uniform(upper_bound int) returns int
language sql volatile strict set search_path = pg_catalog, pg_temp
as $$ select mod(pgsodium._number(pgsodium.randombytes_buf(16)), upper_bound)::int $$;

create function pgsodium.sodium_bin2base64(bin bytea) returns text
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$ select translate(encode(bin, 'base64'), E'\n', '') $$;
create function pgsodium.sodium_base642bin(base64 text) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$ select decode(base64, 'base64') $$;
create function pgsodium.version() returns text
language sql immutable as $$ select '3.1.8' $$;

-- Plinth doesn't encrypt columns by security labels. These functions exist because dumps and migrations call them.
create function pgsodium.update_masks(debug boolean default false) returns void
language sql as $$ select $$;
create function pgsodium.update_mask(target oid, debug boolean default false) returns void
language sql as $$ select $$;
create function pgsodium.enable_security_label_trigger() returns void
language sql as $$ select $$;
create function pgsodium.disable_security_label_trigger() returns void
language sql as $$ select $$;

-- As in the original, only the extension's roles can call the functions. `_server_key` stays with the superuser, and all
-- other objects belong to the project.
do $$
declare
  found record;
begin
  for found in
    select p.oid::regprocedure as name, p.proname as short from pg_proc p
    where p.pronamespace = 'pgsodium'::regnamespace and exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('revoke all on function %s from public, anon, authenticated, service_role', found.name);
    if found.short = '_server_key' then
      execute format('grant execute on function %s to postgres', found.name);
    else
      execute format('alter function %s owner to postgres', found.name);
      if found.short in ('derive_key', 'pgsodium_derive') or (left(found.short, 1) = '_' and found.short in ('_raw', '_key')) then
        execute format('grant execute on function %s to pgsodium_keymaker', found.name);
      elsif found.short <> 'key_encrypt_secret_raw_key' then
        execute format('grant execute on function %s to pgsodium_keyiduser', found.name);
      end if;
    end if;
  end loop;
  for found in
    select t.oid::regtype as name from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'pgsodium'::regnamespace and (t.typtype = 'e' or c.relkind = 'c') and exists (
      select from pg_depend d where d.classid in ('pg_type'::regclass, 'pg_class'::regclass)
        and d.objid in (t.oid, t.typrelid) and d.deptype = 'e')
  loop
    execute format('alter type %s owner to postgres', found.name);
  end loop;
end
$$;
alter table pgsodium.key owner to postgres;
alter view pgsodium.valid_key owner to postgres;
alter view pgsodium.decrypted_key owner to postgres;
revoke all on pgsodium.key, pgsodium.valid_key, pgsodium.decrypted_key from public, anon, authenticated, service_role;
revoke all on sequence pgsodium.key_key_id_seq from public, anon, authenticated, service_role;
grant usage on schema pgsodium to pgsodium_keyiduser, service_role;
grant select on pgsodium.valid_key to pgsodium_keyiduser;
grant all on pgsodium.key, pgsodium.decrypted_key to pgsodium_keymaker;
grant all on sequence pgsodium.key_key_id_seq to pgsodium_keymaker;
grant execute on function pgsodium.crypto_aead_det_encrypt(bytea, bytea, uuid, bytea),
  pgsodium.crypto_aead_det_decrypt(bytea, bytea, uuid, bytea), pgsodium.crypto_aead_det_keygen() to service_role;
