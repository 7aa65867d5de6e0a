-- Prevents project functions from replacing built-in functions that have the same names.
set local search_path = pg_catalog, pg_temp;

-- Implements the types and operators of pgvector 0.8 without its library. Every search scans all rows. Values are
-- stored in their text representation, because only functions built into the server can read and write a base type. The
-- functions for json and text are used. A column with a number of dimensions also checks and normalizes its values.
-- 
-- This file contains the array functions that all types share. Their argument `kind` is the type's name in error
-- messages.

-- Raises an error. The function is volatile because the planner would evaluate an immutable function in branches that
-- are never reached.
create function @extschema@._vector_fault(message text, code text default '22000') returns real[]
language plpgsql volatile parallel safe
as $$
begin
  raise exception using errcode = code, message = message;
end
$$;

-- Returns `numbers` if they are valid elements of a vector of this kind.
create function @extschema@._vector_checked(numbers real[], kind text) returns real[]
language sql immutable parallel safe
return case
  when array_ndims(numbers) <> 1 then @extschema@._vector_fault('array must be 1-D', '22000')
  when coalesce(cardinality(numbers), 0) = 0 then
    @extschema@._vector_fault(kind || ' must have at least 1 dimension')
  when cardinality(numbers) > 16000 then
    @extschema@._vector_fault(kind || ' cannot have more than 16000 dimensions', '54000')
  when array_position(numbers, null) is not null then
    @extschema@._vector_fault('array must not contain nulls', '22004')
  when 'NaN'::real = any (numbers) then @extschema@._vector_fault('NaN not allowed in ' || kind)
  when numbers && array['Infinity', '-Infinity']::real[] then
    @extschema@._vector_fault('infinite value not allowed in ' || kind)
  else numbers
end;

-- Returns `numbers` if they fit a type modifier. The modifier has varchar's format, so its value is higher by four.
create function @extschema@._vector_sized(numbers real[], typmod int) returns real[]
language sql immutable parallel safe
return case
  when typmod <> -1 and typmod - 4 <> cardinality(numbers) then
    @extschema@._vector_fault(format('expected %s dimensions, not %s', typmod - 4, cardinality(numbers)))
  else numbers
end;

-- Converts to real. Magnitudes outside the range of real become 0 or infinite, as in C.
create function @extschema@._vector_reals(numbers double precision[]) returns real[]
language sql immutable strict parallel safe
begin atomic
  select case
    when array_ndims(numbers) > 1 then numbers::real[]
    else array(
      select case
        when abs(n) < 1e-45 then sign(n) * 0
        when abs(n) > 3.4028235677973366e38 then sign(n) * 'Infinity'::float8
        else n
      end::real
      from unnest(numbers) with ordinality as each (n, position) order by position)
  end;
end;

-- Parses `[1,2,3]` and rejects any other JSON.
create function @extschema@._vector_parsed(value text, kind text) returns real[]
language sql immutable strict parallel safe
return case
  when value ~ '^\s*\[[-+0-9.eE,\s]+\]\s*$' then translate(value, '[] ', '{}')::real[]
  when value ~ '^\s*\[\s*\]\s*$' then @extschema@._vector_fault(kind || ' must have at least 1 dimension')
  else @extschema@._vector_fault(format('invalid input syntax for type %s: "%s"', kind, left(value, 40)), '22P02')
end;

create function @extschema@._vector_printed(numbers real[]) returns text
language sql immutable strict parallel safe
return '[' || array_to_string(numbers, ',') || ']';

-- Returns `b` if it has as many dimensions as `a`.
create function @extschema@._vector_alike(a real[], b real[], kind text) returns real[]
language sql immutable parallel safe
return case
  when cardinality(a) = cardinality(b) then b
  else @extschema@._vector_fault(format('different %s dimensions %s and %s', kind, cardinality(a), cardinality(b)))
end;

create function @extschema@._l2_squared(x real[], y real[], kind text) returns double precision
language sql immutable strict parallel safe
begin atomic
  select coalesce(sum((p::float8 - q::float8) * (p::float8 - q::float8)), 0)
  from unnest(x, @extschema@._vector_alike(x, y, kind)) as each (p, q);
end;

create function @extschema@._inner_product(x real[], y real[], kind text) returns double precision
language sql immutable strict parallel safe
begin atomic
  select coalesce(sum(p::float8 * q::float8), 0)
  from unnest(x, @extschema@._vector_alike(x, y, kind)) as each (p, q);
end;

create function @extschema@._l1(x real[], y real[], kind text) returns double precision
language sql immutable strict parallel safe
begin atomic
  select coalesce(sum(abs(p::float8 - q::float8)), 0)
  from unnest(x, @extschema@._vector_alike(x, y, kind)) as each (p, q);
end;

create function @extschema@._cosine(x real[], y real[], kind text) returns double precision
language sql immutable strict parallel safe
begin atomic
  select case
    when coalesce(sum(p::float8 * p::float8) * sum(q::float8 * q::float8), 0) = 0 then 'NaN'
    else 1 - greatest(-1, least(1, sum(p::float8 * q::float8) / sqrt(sum(p::float8 * p::float8) * sum(q::float8 * q::float8))))
  end
  from unnest(x, @extschema@._vector_alike(x, y, kind)) as each (p, q);
end;

-- Returns the angle between two vectors of length 1, as a fraction of a half turn.
create function @extschema@._spherical(x real[], y real[], kind text) returns double precision
language sql immutable strict parallel safe
return acos(greatest(-1, least(1, @extschema@._inner_product(x, y, kind)))) / pi();

create function @extschema@._norm(x real[]) returns double precision
language sql immutable strict parallel safe
begin atomic
  select coalesce(sqrt(sum(p::float8 * p::float8)), 0) from unnest(x) as each (p);
end;

-- Divides a vector by its length. A zero vector is returned unchanged.
create function @extschema@._normalized(x real[]) returns real[]
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_reals(array(
    select coalesce(p / nullif(length, 0), 0) from unnest(x) with ordinality as each (p, n) order by n))
  from (select @extschema@._norm(x) as length offset 0) as norm;
end;

create function @extschema@._vector_sliced(x real[], start int, count int, kind text) returns real[]
language sql immutable strict parallel safe
return case
  when count < 1 then @extschema@._vector_fault(kind || ' must have at least 1 dimension')
  else x[greatest(start, 1) : least(start::bigint + count - 1, cardinality(x))::int]
end;

create function @extschema@._quantized(x real[]) returns bit varying
language sql immutable strict parallel safe
begin atomic
  select string_agg(case when p > 0 then '1' else '0' end, '' order by n)::bit varying
  from unnest(x) with ordinality as each (p, n);
end;

-- The state of avg() contains the number of vectors, followed by the sum of each dimension.
create function @extschema@._vector_state(state double precision[], caller text) returns double precision[]
language sql immutable parallel safe
return case
  when array_ndims(state) = 1 and array_position(state, null) is null then state
  else @extschema@._vector_fault(caller || ': expected state array')::double precision[]
end;

create function @extschema@._accumulated(state double precision[], numbers real[]) returns double precision[]
language sql immutable strict parallel safe
begin atomic
  select case
    when cardinality(state) = 1 then array_prepend(state[1] + 1, numbers::float8[])
    when cardinality(state) - 1 <> cardinality(numbers) then @extschema@._vector_fault(
      format('expected %s dimensions, not %s', cardinality(state) - 1, cardinality(numbers)))::double precision[]
    else array_prepend(state[1] + 1, array(
      select s + n from unnest(state[2:], numbers::float8[]) with ordinality as each (s, n, position) order by position))
  end;
end;

create function @extschema@._combined(a double precision[], b double precision[]) returns double precision[]
language sql immutable strict parallel safe
begin atomic
  select case
    when a[1] = 0 then b
    when b[1] = 0 then a
    when cardinality(a) <> cardinality(b) then @extschema@._vector_fault(
      format('expected %s dimensions, not %s', cardinality(a) - 1, cardinality(b) - 1))::double precision[]
    else array(select s + n from unnest(a, b) with ordinality as each (s, n, position) order by position)
  end;
end;

create function @extschema@.vector_combine(a double precision[], b double precision[]) returns double precision[]
language sql immutable strict parallel safe
return @extschema@._combined(
  @extschema@._vector_state(a, 'vector_combine'), @extschema@._vector_state(b, 'vector_combine'));

-- Returns the average of the vectors, or null if there were no vectors.
create function @extschema@._mean(state double precision[]) returns double precision[]
language sql immutable strict parallel safe
begin atomic
  select case
    when state[1] <> 0 then
      array(select n / state[1] from unnest(state[2:]) with ordinality as each (n, position) order by position)
  end;
end;
