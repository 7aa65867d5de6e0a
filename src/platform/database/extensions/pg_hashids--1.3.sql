-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Hashids turn numbers into short strings. They hide the numbers from a casual reader, but they aren't encryption. The
-- strings are the same as those of the other implementations of the algorithm.

-- Permutes characters in an order that depends on the salt.
create function @extschema@._hashids_shuffle(chars text[], salt text[]) returns text[]
language plpgsql immutable parallel safe
as $$
declare
  shift int := 0;
  total int := 0;
  code int;
  target int;
  kept text;
begin
  if cardinality(salt) = 0 then
    return chars;
  end if;
  for index in reverse cardinality(chars) - 1 .. 1 loop
    code := ascii(salt[shift + 1]);
    total := total + code;
    target := (code + shift + total) % index;
    kept := chars[index + 1];
    chars[index + 1] := chars[target + 1];
    chars[target + 1] := kept;
    shift := (shift + 1) % cardinality(salt);
  end loop;
  return chars;
end
$$;

-- Divides the alphabet into the characters of numbers, the separators between numbers, and the guards around the result.
create function @extschema@._hashids_parts(
  salt text[], written text, out alphabet text[], out separators text[], out guards text[]
)
language plpgsql immutable parallel safe
as $$
declare
  wanted int;
begin
  alphabet := array(
    select c from string_to_table(written, null) with ordinality each (c, position) group by c order by min(position));
  if cardinality(alphabet) < 16 then
    raise exception using errcode = '22023', message = 'Hashids: the alphabet must contain at least 16 different characters';
  elsif written ~ '\s' then
    raise exception using errcode = '22023', message = 'Hashids: the alphabet must not contain spaces';
  end if;
  separators := array(select c from string_to_table('cfhistuCFHISTU', null) c where c = any (alphabet));
  alphabet := array(
    select c from unnest(alphabet) with ordinality each (c, position) where c <> all (separators) order by position);
  separators := @extschema@._hashids_shuffle(separators, salt);
  if cardinality(separators) = 0 or cardinality(alphabet)::numeric / cardinality(separators) > 3.5 then
    wanted := greatest(ceil(cardinality(alphabet) / 3.5)::int, 2);
    if wanted > cardinality(separators) then
      wanted := wanted - cardinality(separators);
      separators := separators || alphabet[: wanted];
      alphabet := alphabet[wanted + 1 :];
    end if;
  end if;
  alphabet := @extschema@._hashids_shuffle(alphabet, salt);
  wanted := ceil(cardinality(alphabet) / 12.0)::int;
  if cardinality(alphabet) < 3 then
    guards := separators[: wanted];
    separators := separators[wanted + 1 :];
  else
    guards := alphabet[: wanted];
    alphabet := alphabet[wanted + 1 :];
  end if;
end
$$;

create function @extschema@._hashids_alphabet() returns text
language sql immutable parallel safe
as $$ select 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890' $$;

create function @extschema@._hashids_encode(numbers bigint[], salt text, min_length int, written text) returns text
language plpgsql immutable parallel safe
as $$
declare
  salts constant text[] := string_to_array(salt, null);
  parts constant record := @extschema@._hashids_parts(salts, written);
  alphabet text[] := parts.alphabet;
  size constant int := cardinality(parts.alphabet);
  half constant int := size / 2;
  checksum numeric := 0;
  lottery text;
  result text[];
  word text[];
  n numeric;
  excess int;
begin
  if array_position(numbers, null) is not null then
    raise exception using errcode = '22004', message = 'null value not allowed for array element';
  elsif coalesce(cardinality(numbers), 0) = 0 then
    return '';
  end if;
  for index in 1 .. cardinality(numbers) loop
    -- Negative numbers are read as unsigned numbers of 64 bits, as in the original.
    n := numbers[index] + case when numbers[index] < 0 then 18446744073709551616 else 0 end;
    checksum := checksum + mod(n, index + 99);
  end loop;
  lottery := alphabet[mod(checksum, size)::int + 1];
  result := array[lottery];
  for index in 1 .. cardinality(numbers) loop
    n := numbers[index] + case when numbers[index] < 0 then 18446744073709551616 else 0 end;
    alphabet := @extschema@._hashids_shuffle(alphabet, (lottery || salts || alphabet)[: size]);
    word := '{}';
    loop
      word := alphabet[mod(n, size)::int + 1] || word;
      n := div(n, size);
      exit when n = 0;
    end loop;
    result := result || word;
    if index < cardinality(numbers) then
      n := numbers[index] + case when numbers[index] < 0 then 18446744073709551616 else 0 end;
      result := result || parts.separators[
        mod(mod(n, ascii(word[1]) + index - 1), cardinality(parts.separators))::int + 1];
    end if;
  end loop;
  if cardinality(result) < min_length then
    result := parts.guards[mod(checksum + ascii(result[1]), cardinality(parts.guards))::int + 1] || result;
    if cardinality(result) < min_length then
      result := result || parts.guards[mod(checksum + ascii(result[3]), cardinality(parts.guards))::int + 1];
    end if;
  end if;
  while cardinality(result) < min_length loop
    alphabet := @extschema@._hashids_shuffle(alphabet, alphabet);
    result := alphabet[half + 1 :] || result || alphabet[: half];
    excess := cardinality(result) - min_length;
    if excess > 0 then
      result := result[excess / 2 + 1 : excess / 2 + min_length];
    end if;
  end loop;
  return array_to_string(result, '');
end
$$;

create function @extschema@._hashids_decode(hash text, salt text, min_length int, written text) returns bigint[]
language plpgsql immutable parallel safe
as $$
declare
  salts constant text[] := string_to_array(salt, null);
  parts constant record := @extschema@._hashids_parts(salts, written);
  alphabet text[] := parts.alphabet;
  size constant int := cardinality(parts.alphabet);
  pieces constant text[] := string_to_array(
    translate(hash, array_to_string(parts.guards, ''), repeat(' ', cardinality(parts.guards))), ' ');
  inner_part constant text := pieces[case when cardinality(pieces) in (2, 3) then 2 else 1 end];
  numbers bigint[] := '{}';
  word text;
  c text;
  n numeric;
begin
  if inner_part <> '' and hash !~ '\s' then
    foreach word in array string_to_array(translate(substr(inner_part, 2),
      array_to_string(parts.separators, ''), repeat(' ', cardinality(parts.separators))), ' ') loop
      alphabet := @extschema@._hashids_shuffle(alphabet, (left(inner_part, 1) || salts || alphabet)[: size]);
      n := 0;
      foreach c in array string_to_array(word, null) loop
        n := n * size + array_position(alphabet, c) - 1;
      end loop;
      n := case when n >= 9223372036854775808 then n - 18446744073709551616 else n end;
      exit when n is null or n not between -9223372036854775808 and 9223372036854775807;
      numbers := numbers || n::bigint;
    end loop;
  end if;
  -- A string that another salt has created can look valid, so the numbers are encoded again.
  if cardinality(numbers) = 0
    or @extschema@._hashids_encode(numbers, salt, min_length, written) <> hash then
    raise exception using errcode = '22023', message = 'Hashids: invalid hash';
  end if;
  return numbers;
end
$$;

create function @extschema@.id_encode(number bigint) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], '', 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_encode(number bigint, salt text) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], salt, 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_encode(number bigint, salt text, min_length int) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], salt, min_length, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_encode(number bigint, salt text, min_length int, alphabet text) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], salt, min_length, alphabet) $$;

create function @extschema@.id_encode(numbers bigint[]) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(numbers, '', 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_encode(numbers bigint[], salt text) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(numbers, salt, 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_encode(numbers bigint[], salt text, min_length int) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(numbers, salt, min_length, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_encode(numbers bigint[], salt text, min_length int, alphabet text) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(numbers, salt, min_length, alphabet) $$;

create function @extschema@.id_decode(hash text) returns bigint[]
language sql immutable strict
as $$ select @extschema@._hashids_decode(hash, '', 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_decode(hash text, salt text) returns bigint[]
language sql immutable strict
as $$ select @extschema@._hashids_decode(hash, salt, 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_decode(hash text, salt text, min_length int) returns bigint[]
language sql immutable strict
as $$ select @extschema@._hashids_decode(hash, salt, min_length, @extschema@._hashids_alphabet()) $$;

create function @extschema@.id_decode(hash text, salt text, min_length int, alphabet text) returns bigint[]
language sql immutable strict
as $$ select @extschema@._hashids_decode(hash, salt, min_length, alphabet) $$;

create function @extschema@.id_decode_once(hash text) returns bigint
language sql immutable strict
as $$ select (@extschema@._hashids_decode(hash, '', 0, @extschema@._hashids_alphabet()))[1] $$;

create function @extschema@.id_decode_once(hash text, salt text) returns bigint
language sql immutable strict
as $$ select (@extschema@._hashids_decode(hash, salt, 0, @extschema@._hashids_alphabet()))[1] $$;

create function @extschema@.id_decode_once(hash text, salt text, min_length int) returns bigint
language sql immutable strict
as $$ select (@extschema@._hashids_decode(hash, salt, min_length, @extschema@._hashids_alphabet()))[1] $$;

create function @extschema@.id_decode_once(hash text, salt text, min_length int, alphabet text) returns bigint
language sql immutable strict
as $$ select (@extschema@._hashids_decode(hash, salt, min_length, alphabet))[1] $$;

-- The names of version 1.
create function @extschema@.hash_encode(number bigint) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], '', 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.hash_encode(number bigint, salt text) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], salt, 0, @extschema@._hashids_alphabet()) $$;

create function @extschema@.hash_encode(number bigint, salt text, min_length int) returns text
language sql immutable strict
as $$ select @extschema@._hashids_encode(array[number], salt, min_length, @extschema@._hashids_alphabet()) $$;

create function @extschema@.hash_decode(hash text, salt text, min_length int) returns int
language sql immutable strict
as $$ select (@extschema@._hashids_decode(hash, salt, min_length, @extschema@._hashids_alphabet()))[1]::int $$;
