-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- The ciphers and hashes of libsodium in SQL. They work without the Plinth process, so a dump whose views decrypt columns
-- can be restored, but a call takes milliseconds instead of microseconds. All of these functions use only pg_catalog and
-- this schema.

-- Returns the words of a byte string, whose length is a multiple of the word's size. Words are little-endian.
create function pgsodium._words(bytes bytea, size int) returns bigint[]
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select array(
    select (substr('\x0000000000000000'::bytea, 1, 8 - size) || reverse(substr(bytes, position, size)))::bigint
    from generate_series(1, length(bytes), size) position order by position)
$$;

create function pgsodium._bytes(words bigint[], size int) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select string_agg(reverse(substr(int8send(word), 9 - size)), '' order by position)
  from unnest(words) with ordinality each (word, position)
$$;

-- Returns a byte string with null bytes at the end, so that its length is at least 1 and a multiple of `size`.
create function pgsodium._padded(bytes bytea, size int) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select bytes || decode(repeat('00', case when length(bytes) = 0 then size else (size - length(bytes) % size) % size end), 'hex')
$$;

-- Returns `a` xor `b`, with the length of `a`. `b` is at least as long.
create function pgsodium._xor(a bytea, b bytea) returns bytea
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select coalesce(substr(string_agg(
      int8send(substr(pgsodium._padded(a, 8), position, 8)::bigint # substr(pgsodium._padded(substr(b, 1, length(a)), 8), position, 8)::bigint),
      '' order by position), 1, length(a)), '')
  from generate_series(1, length(a), 8) position
$$;

-- Adds two unsigned numbers of 64 bits.
create function pgsodium._add(a bigint, b bigint) returns bigint
language sql immutable parallel safe
as $$
  select ((((a >> 32) & 4294967295) + ((b >> 32) & 4294967295) + (((a & 4294967295) + (b & 4294967295)) >> 32)) << 32)
    | (((a & 4294967295) + (b & 4294967295)) & 4294967295)
$$;

-- BLAKE2b (RFC 7693), with the salt and personalization of libsodium's key derivation.
create function pgsodium._blake2b(
  message bytea, key bytea, size int, salt bytea default '', personal bytea default ''
) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  low constant bigint := 4294967295;
  start constant bigint[] := array[
    7640891576956012808, -4942790177534073029, 4354685564936845355, -6534734903238641935,
    5840696475078001361, -7276294671716946913, 2270897969802886507, 6620516959819538809];
  orders constant int[] := array[
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4], [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13], [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11], [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5], [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0]];
  columns constant int[] := array[
    [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [4, 8, 12, 16],
    [1, 6, 11, 16], [2, 7, 12, 13], [3, 8, 9, 14], [4, 5, 10, 15]];
  input constant bytea := case when length(key) > 0 then pgsodium._padded(key, 128) else '' end || message;
  blocks constant int := greatest(1, ceil(length(input) / 128.0)::int);
  h bigint[];
  v bigint[];
  m bigint[];
  a bigint; b bigint; c bigint; d bigint;
  t bigint; x bigint;
begin
  h := array(
    select start[position] # word from unnest(pgsodium._words(
      set_byte(set_byte('\x0000010100000000'::bytea, 0, size), 1, length(key)) || decode(repeat('00', 24), 'hex')
      || substr(pgsodium._padded(salt, 16), 1, 16) || substr(pgsodium._padded(personal, 16), 1, 16), 8))
      with ordinality each (word, position) order by position);
  for block in 1 .. blocks loop
    m := pgsodium._words(pgsodium._padded(substr(input, block * 128 - 127, 128), 128), 8);
    v := h || start;
    v[13] := v[13] # least(block * 128, length(input))::bigint;
    if block = blocks then
      v[15] := ~v[15];
    end if;
    for round in 0 .. 11 loop
      for step in 1 .. 8 loop
        a := v[columns[step][1]];
        b := v[columns[step][2]];
        c := v[columns[step][3]];
        d := v[columns[step][4]];
        x := m[orders[round % 10 + 1][step * 2 - 1] + 1];
        t := (a & low) + (b & low) + (x & low);
        a := ((((a >> 32) & low) + ((b >> 32) & low) + ((x >> 32) & low) + (t >> 32)) << 32) | (t & low);
        d := d # a;
        d := (d << 32) | ((d >> 32) & low);
        t := (c & low) + (d & low);
        c := ((((c >> 32) & low) + ((d >> 32) & low) + (t >> 32)) << 32) | (t & low);
        b := b # c;
        b := (b << 40) | ((b >> 24) & 1099511627775);
        x := m[orders[round % 10 + 1][step * 2] + 1];
        t := (a & low) + (b & low) + (x & low);
        a := ((((a >> 32) & low) + ((b >> 32) & low) + ((x >> 32) & low) + (t >> 32)) << 32) | (t & low);
        d := d # a;
        d := (d << 48) | ((d >> 16) & 281474976710655);
        t := (c & low) + (d & low);
        c := ((((c >> 32) & low) + ((d >> 32) & low) + (t >> 32)) << 32) | (t & low);
        b := b # c;
        b := (b << 1) | ((b >> 63) & 1);
        v[columns[step][1]] := a;
        v[columns[step][2]] := b;
        v[columns[step][3]] := c;
        v[columns[step][4]] := d;
      end loop;
    end loop;
    for index in 1 .. 8 loop
      h[index] := h[index] # v[index] # v[index + 8];
    end loop;
  end loop;
  return substr(pgsodium._bytes(h, 8), 1, size);
end
$$;

-- SipHash-2-4.
create function pgsodium._siphash(message bytea, key bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  k constant bigint[] := pgsodium._words(key, 8);
  v0 bigint := k[1] # 8317987319222330741;
  v1 bigint := k[2] # 7237128888997146477;
  v2 bigint := k[1] # 7816392313619706465;
  v3 bigint := k[2] # 8387220255154660723;
  whole constant int := length(message) / 8 * 8;
  rest constant bytea := substr(message, whole + 1);
  words constant bigint[] := pgsodium._words(substr(message, 1, whole)
    || set_byte(pgsodium._padded(rest || '\x00'::bytea, 8), 7, length(message) % 256), 8);
  word bigint;
begin
  foreach word in array words || array[null]::bigint[] loop
    if word is null then
      v2 := v2 # 255;
    else
      v3 := v3 # word;
    end if;
    for round in 1 .. case when word is null then 4 else 2 end loop
      v0 := pgsodium._add(v0, v1);
      v1 := ((v1 << 13) | ((v1 >> 51) & 8191)) # v0;
      v0 := (v0 << 32) | ((v0 >> 32) & 4294967295);
      v2 := pgsodium._add(v2, v3);
      v3 := ((v3 << 16) | ((v3 >> 48) & 65535)) # v2;
      v0 := pgsodium._add(v0, v3);
      v3 := ((v3 << 21) | ((v3 >> 43) & 2097151)) # v0;
      v2 := pgsodium._add(v2, v1);
      v1 := ((v1 << 17) | ((v1 >> 47) & 131071)) # v2;
      v2 := (v2 << 32) | ((v2 >> 32) & 4294967295);
    end loop;
    if word is not null then
      v0 := v0 # word;
    end if;
  end loop;
  return pgsodium._bytes(array[v0 # v1 # v2 # v3], 8);
end
$$;

-- Runs the 20 rounds of ChaCha20 or Salsa20 on a state of 16 words of 32 bits, without the final addition.
create function pgsodium._rounds(cipher text, state bigint[]) returns bigint[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  low constant bigint := 4294967295;
  is_chacha constant boolean := cipher = 'chacha';
  quarters constant int[] := case when is_chacha then array[
    [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [4, 8, 12, 16],
    [1, 6, 11, 16], [2, 7, 12, 13], [3, 8, 9, 14], [4, 5, 10, 15]]
  else array[
    [1, 5, 9, 13], [6, 10, 14, 2], [11, 15, 3, 7], [16, 4, 8, 12],
    [1, 2, 3, 4], [6, 7, 8, 5], [11, 12, 9, 10], [16, 13, 14, 15]] end;
  a bigint; b bigint; c bigint; d bigint; t bigint;
begin
  for round in 1 .. 10 loop
    for step in 1 .. 8 loop
      a := state[quarters[step][1]];
      b := state[quarters[step][2]];
      c := state[quarters[step][3]];
      d := state[quarters[step][4]];
      if is_chacha then
        a := (a + b) & low;
        d := (((d # a) << 16) & low) | ((d # a) >> 16);
        c := (c + d) & low;
        b := (((b # c) << 12) & low) | ((b # c) >> 20);
        a := (a + b) & low;
        d := (((d # a) << 8) & low) | ((d # a) >> 24);
        c := (c + d) & low;
        b := (((b # c) << 7) & low) | ((b # c) >> 25);
      else
        t := (a + d) & low;
        b := b # (((t << 7) & low) | (t >> 25));
        t := (b + a) & low;
        c := c # (((t << 9) & low) | (t >> 23));
        t := (c + b) & low;
        d := d # (((t << 13) & low) | (t >> 19));
        t := (d + c) & low;
        a := a # (((t << 18) & low) | (t >> 14));
      end if;
      state[quarters[step][1]] := a;
      state[quarters[step][2]] := b;
      state[quarters[step][3]] := c;
      state[quarters[step][4]] := d;
    end loop;
  end loop;
  return state;
end
$$;

-- Returns the initial state: constants, the key of 32 bytes, and 16 bytes of counter and nonce.
create function pgsodium._state(cipher text, key bytea, tail bytea) returns bigint[]
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
  select case cipher
    when 'chacha' then array[1634760805, 857760878, 2036477234, 1797285236]::bigint[]
      || pgsodium._words(key, 4) || pgsodium._words(tail, 4)
    else array[1634760805]::bigint[] || pgsodium._words(substr(key, 1, 16), 4) || 857760878::bigint
      || pgsodium._words(tail, 4) || 2036477234::bigint || pgsodium._words(substr(key, 17), 4) || 1797285236::bigint
  end
$$;

-- HChaCha20 and HSalsa20: derives a key of 32 bytes from a key and 16 bytes.
create function pgsodium._subkey(cipher text, key bytea, input bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  s constant bigint[] := pgsodium._rounds(cipher, pgsodium._state(cipher, key, input));
begin
  return pgsodium._bytes(case cipher when 'chacha' then s[1:4] || s[13:16]
    else array[s[1], s[6], s[11], s[16], s[7], s[8], s[9], s[10]] end, 4);
end
$$;

-- Returns `size` bytes of the key stream. `nonce` has 8 bytes, or 12 bytes for the IETF version of ChaCha20.
create function pgsodium._stream(cipher text, key bytea, nonce bytea, size int, counter int) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  low constant bigint := 4294967295;
  result bytea := '';
  position bytea;
  s bigint[];
  r bigint[];
begin
  for block in counter .. counter + (size - 1) / 64 loop
    position := substr(reverse(int8send(block)), 1, 16 - length(nonce));
    s := pgsodium._state(cipher, key, case cipher when 'chacha' then position || nonce else nonce || position end);
    r := pgsodium._rounds(cipher, s);
    for index in 1 .. 16 loop
      r[index] := (r[index] + s[index]) & low;
    end loop;
    result := result || pgsodium._bytes(r, 4);
  end loop;
  return substr(result, 1, size);
end
$$;

-- Reads a little-endian number.
create function pgsodium._number(bytes bytea) returns numeric
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  result numeric := 0;
begin
  for index in reverse length(bytes) - 1 .. 0 loop
    result := result * 256 + get_byte(bytes, index);
  end loop;
  return result;
end
$$;

-- Poly1305, with numbers of any precision. `key` has 32 bytes.
create function pgsodium._poly1305(message bytea, key bytea) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  prime constant numeric := 1361129467683753853853498429727072845819;
  r bytea := substr(key, 1, 16);
  multiplier numeric;
  sum numeric := 0;
  block bytea;
  result bytea := '';
begin
  for index in 0 .. 15 loop
    r := set_byte(r, index, get_byte(r, index) & case when index in (3, 7, 11, 15) then 15 when index in (4, 8, 12) then 252 else 255 end);
  end loop;
  multiplier := pgsodium._number(r);
  for position in 1 .. length(message) by 16 loop
    block := substr(message, position, 16);
    sum := mod((sum + pgsodium._number(block || '\x01'::bytea)) * multiplier, prime);
  end loop;
  sum := mod(sum + pgsodium._number(substr(key, 17)), 340282366920938463463374607431768211456);
  for index in 1 .. 16 loop
    result := result || set_byte('\x00'::bytea, 0, mod(sum, 256)::int);
    sum := div(sum, 256);
  end loop;
  return result;
end
$$;

-- HMAC with SHA-256 (blocks of 64 bytes) or SHA-512 (blocks of 128 bytes).
create function pgsodium._hmac(message bytea, key bytea, bits int) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  block constant int := bits / 4;
  short constant bytea := pgsodium._padded(case
    when length(key) <= block then key when bits = 256 then sha256(key) else sha512(key) end, block);
  inner_key constant bytea := pgsodium._xor(short, decode(repeat('36', block), 'hex'));
  outer_key constant bytea := pgsodium._xor(short, decode(repeat('5c', block), 'hex'));
begin
  return case when bits = 256 then sha256(outer_key || sha256(inner_key || message))
    else sha512(outer_key || sha512(inner_key || message)) end;
end
$$;

-- Compares two byte strings without revealing by its duration where they differ.
create function pgsodium._is_equal(a bytea, b bytea) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$ select sha256(a || '\x00'::bytea) = sha256(b || '\x00'::bytea) $$;

-- Checks the length of a key or nonce.
create function pgsodium._checked(value bytea, size int, what text) returns bytea
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  if value is not null and length(value) <> size then
    raise exception using errcode = '22000', message = format('pgsodium: %s must have %s bytes', what, size);
  end if;
  return value;
end
$$;

create function pgsodium._forged() returns bytea
language plpgsql immutable parallel safe
as $$
begin
  raise exception using errcode = '22000', message = 'pgsodium: invalid ciphertext';
end
$$;
