-- Public-key encryption (X25519) and signatures (Ed25519), with numbers of any precision. A call takes tens of
-- milliseconds.

create type pgsodium.crypto_box_keypair as (public bytea, secret bytea);
create type pgsodium.crypto_sign_keypair as (public bytea, secret bytea);

-- Writes a number as 32 little-endian bytes.
create function pgsodium._encoded(n numeric) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  result bytea := '';
begin
  for index in 1 .. 32 loop
    result := result || set_byte('\x00'::bytea, 0, mod(n, 256)::int);
    n := div(n, 256);
  end loop;
  return result;
end
$$;

-- Returns `base` to the power of `exponent` modulo `modulus`.
create function pgsodium._power(base numeric, exponent numeric, modulus numeric) returns numeric
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  result numeric := 1;
begin
  while exponent > 0 loop
    if mod(exponent, 2) = 1 then
      result := mod(result * base, modulus);
    end if;
    base := mod(base * base, modulus);
    exponent := div(exponent, 2);
  end loop;
  return result;
end
$$;

-- Sets the bits that both curves require in a secret number.
create function pgsodium._clamped(secret bytea) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select set_byte(set_byte(secret, 0, get_byte(secret, 0) & 248), 31, (get_byte(secret, 31) & 127) | 64)
$$;

-- X25519 (RFC 7748).
create function pgsodium._x25519(secret bytea, point bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  p constant numeric := 57896044618658097711785492504343953926634992332820282019728792003956564819949;
  k constant bytea := pgsodium._clamped(secret);
  x1 constant numeric := mod(pgsodium._number(set_byte(point, 31, get_byte(point, 31) & 127)), p);
  x2 numeric := 1;
  z2 numeric := 0;
  x3 numeric := x1;
  z3 numeric := 1;
  is_swapped boolean := false;
  bit boolean;
  kept numeric;
  a numeric; b numeric; aa numeric; bb numeric; e numeric; da numeric; cb numeric;
begin
  for t in reverse 254 .. 0 loop
    bit := get_bit(k, t) = 1;
    if bit <> is_swapped then
      kept := x2; x2 := x3; x3 := kept;
      kept := z2; z2 := z3; z3 := kept;
    end if;
    is_swapped := bit;
    a := x2 + z2;
    b := x2 - z2 + p;
    aa := mod(a * a, p);
    bb := mod(b * b, p);
    e := aa - bb + p;
    da := mod((x3 - z3 + p) * a, p);
    cb := mod((x3 + z3) * b, p);
    x3 := mod((da + cb) * (da + cb), p);
    z3 := mod(x1 * mod((da - cb + p) * (da - cb + p), p), p);
    x2 := mod(aa * bb, p);
    z2 := mod(e * (aa + 121665 * e), p);
  end loop;
  if is_swapped then
    x2 := x3;
    z2 := z3;
  end if;
  return pgsodium._encoded(mod(x2 * pgsodium._power(z2, p - 2, p), p));
end
$$;

create function pgsodium._box_key(public bytea, secret bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  shared constant bytea := pgsodium._x25519(
    pgsodium._checked(secret, 32, 'the secret key'), pgsodium._checked(public, 32, 'the public key'));
begin
  -- A public key of small order would make the shared secret known to everyone.
  if shared = decode(repeat('00', 32), 'hex') then
    raise exception using errcode = '22000', message = 'pgsodium: invalid public key';
  end if;
  return pgsodium._subkey('salsa', shared, decode(repeat('00', 16), 'hex'));
end
$$;

create function pgsodium.crypto_box_noncegen() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(24) $$;
create function pgsodium.crypto_box_new_seed() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_box_seed_new_keypair(seed bytea) returns pgsodium.crypto_box_keypair
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select row(pgsodium._x25519(made.secret, pgsodium._encoded(9)), made.secret)::pgsodium.crypto_box_keypair
  from (select substr(sha512(pgsodium._checked(seed, 32, 'the seed')), 1, 32) as secret) made
$$;
create function pgsodium.crypto_box_new_keypair() returns pgsodium.crypto_box_keypair
language sql volatile set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_box_seed_new_keypair(pgsodium.crypto_box_new_seed()) $$;

create function pgsodium.crypto_box(message bytea, nonce bytea, public bytea, secret bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_secretbox(message, nonce, pgsodium._box_key(public, secret)) $$;
create function pgsodium.crypto_box_open(ciphertext bytea, nonce bytea, public bytea, secret bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_secretbox_open(ciphertext, nonce, pgsodium._box_key(public, secret)) $$;

-- A sealed message contains the public key of its sender, who is anonymous.
create function pgsodium.crypto_box_seal(message bytea, public_key bytea) returns bytea
language plpgsql volatile strict set search_path = pg_catalog, pg_temp
as $$
declare
  pair constant pgsodium.crypto_box_keypair := pgsodium.crypto_box_new_keypair();
begin
  return pair.public || pgsodium.crypto_box(
    message, pgsodium._blake2b(pair.public || public_key, '', 24), public_key, pair.secret);
end
$$;
create function pgsodium.crypto_box_seal_open(ciphertext bytea, public_key bytea, secret_key bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select pgsodium.crypto_box_open(substr(ciphertext, 33),
    pgsodium._blake2b(substr(ciphertext, 1, 32) || public_key, '', 24), substr(ciphertext, 1, 32), secret_key)
$$;

-- Points of Ed25519 (RFC 8032) in extended coordinates: x, y, z and t.
create function pgsodium._ed_add(a numeric[], b numeric[]) returns numeric[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  p constant numeric := 57896044618658097711785492504343953926634992332820282019728792003956564819949;
  d2 constant numeric := 16295367250680780974490674513165176452449235426866156013048779062215315747161;
  q constant numeric := mod((a[2] - a[1] + p) * (b[2] - b[1] + p), p);
  r constant numeric := mod((a[2] + a[1]) * (b[2] + b[1]), p);
  s constant numeric := mod(mod(a[4] * d2, p) * b[4], p);
  u constant numeric := mod(2 * a[3] * b[3], p);
begin
  return array[
    mod((r - q + p) * (u - s + p), p), mod((u + s) * (r + q), p),
    mod((u - s + p) * (u + s), p), mod((r - q + p) * (r + q), p)];
end
$$;

create function pgsodium._ed_multiply(point numeric[], factor numeric) returns numeric[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  result numeric[] := array[0, 1, 1, 0];
begin
  while factor > 0 loop
    if mod(factor, 2) = 1 then
      result := pgsodium._ed_add(result, point);
    end if;
    point := pgsodium._ed_add(point, point);
    factor := div(factor, 2);
  end loop;
  return result;
end
$$;

create function pgsodium._ed_base() returns numeric[]
language sql immutable parallel safe
as $$
  select array[
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960, 1,
    46827403850823179245072216630277197565144205554125654976674165829533817101731]
$$;

create function pgsodium._ed_encoded(point numeric[]) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  p constant numeric := 57896044618658097711785492504343953926634992332820282019728792003956564819949;
  inverse constant numeric := pgsodium._power(point[3], p - 2, p);
  result constant bytea := pgsodium._encoded(mod(point[2] * inverse, p));
begin
  return set_byte(result, 31, get_byte(result, 31) | (mod(mod(point[1] * inverse, p), 2)::int << 7));
end
$$;

-- Returns a point, or null if the bytes aren't one.
create function pgsodium._ed_decoded(bytes bytea) returns numeric[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  p constant numeric := 57896044618658097711785492504343953926634992332820282019728792003956564819949;
  d constant numeric := 37095705934669439343138083508754565189542113879843219016388785533085940283555;
  y constant numeric := pgsodium._number(set_byte(bytes, 31, get_byte(bytes, 31) & 127));
  square numeric;
  x numeric;
begin
  if y >= p then
    return null;
  end if;
  square := mod(mod(y * y + p - 1, p) * pgsodium._power(mod(d * mod(y * y, p) + 1, p), p - 2, p), p);
  x := pgsodium._power(square, div(p + 3, 8), p);
  if mod(x * x, p) <> square then
    x := mod(x * pgsodium._power(2, div(p - 1, 4), p), p);
  end if;
  if mod(x * x, p) <> square or (x = 0 and get_byte(bytes, 31) > 127) then
    return null;
  end if;
  if mod(x, 2) <> get_byte(bytes, 31) >> 7 then
    x := p - x;
  end if;
  return array[x, y, 1, mod(x * y, p)];
end
$$;

create function pgsodium.crypto_sign_new_seed() returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select pgsodium.randombytes_buf(32) $$;

create function pgsodium.crypto_sign_seed_new_keypair(seed bytea) returns pgsodium.crypto_sign_keypair
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select row(made.public, seed || made.public)::pgsodium.crypto_sign_keypair
  from (select pgsodium._ed_encoded(pgsodium._ed_multiply(pgsodium._ed_base(), pgsodium._number(pgsodium._clamped(
    substr(sha512(pgsodium._checked(seed, 32, 'the seed')), 1, 32))))) as public) made
$$;
create function pgsodium.crypto_sign_new_keypair() returns pgsodium.crypto_sign_keypair
language sql volatile set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_sign_seed_new_keypair(pgsodium.crypto_sign_new_seed()) $$;

create function pgsodium.crypto_sign_detached(message bytea, key bytea) returns bytea
language plpgsql immutable strict set search_path = pg_catalog, pg_temp
as $$
declare
  l constant numeric := 7237005577332262213973186563042994240857116359379907606001950938285454250989;
  hash constant bytea := sha512(substr(pgsodium._checked(key, 64, 'the secret key'), 1, 32));
  r constant numeric := mod(pgsodium._number(sha512(substr(hash, 33) || message)), l);
  point constant bytea := pgsodium._ed_encoded(pgsodium._ed_multiply(pgsodium._ed_base(), r));
  k constant numeric := mod(pgsodium._number(sha512(point || substr(key, 33) || message)), l);
begin
  return point || pgsodium._encoded(mod(r + k * pgsodium._number(pgsodium._clamped(substr(hash, 1, 32))), l));
end
$$;

create function pgsodium.crypto_sign_verify_detached(sig bytea, message bytea, key bytea) returns boolean
language plpgsql immutable strict set search_path = pg_catalog, pg_temp
as $$
declare
  p constant numeric := 57896044618658097711785492504343953926634992332820282019728792003956564819949;
  l constant numeric := 7237005577332262213973186563042994240857116359379907606001950938285454250989;
  public constant numeric[] := pgsodium._ed_decoded(pgsodium._checked(key, 32, 'the public key'));
  s constant numeric := pgsodium._number(substr(sig, 33));
  k numeric;
  small numeric[];
begin
  if length(sig) <> 64 or public is null or s >= l then
    return false;
  end if;
  -- Signatures by keys of small order can be made without the secret key.
  small := pgsodium._ed_multiply(public, 8);
  if small[1] = 0 and small[2] = small[3] then
    return false;
  end if;
  k := mod(pgsodium._number(sha512(substr(sig, 1, 32) || key || message)), l);
  return pgsodium._ed_encoded(pgsodium._ed_add(pgsodium._ed_multiply(pgsodium._ed_base(), s),
    pgsodium._ed_multiply(array[p - public[1], public[2], 1, p - public[4]], k))) = substr(sig, 1, 32);
end
$$;

create function pgsodium.crypto_sign(message bytea, key bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$ select pgsodium.crypto_sign_detached(message, key) || message $$;

create function pgsodium.crypto_sign_open(signed_message bytea, key bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select case when pgsodium.crypto_sign_verify_detached(substr(signed_message, 1, 64), substr(signed_message, 65), key)
    then substr(signed_message, 65) else pgsodium._forged() end
$$;
