-- A user's event trigger must not run with the rights of this script.
set local event_triggers = off;
-- A user's function must not be mistaken for a built-in one.
set local search_path = pg_catalog, pg_temp;

-- The type and operators of pgvector 0.8 without its library: every search is a sequential scan. A vector is stored as
-- its text, `[1,2,3]`. Input and output use the server's built-in functions for json and for varchar lengths. A column
-- with a number of dimensions also validates and normalizes its values.
create type @extschema@.vector;
create function @extschema@.vector_in(cstring) returns @extschema@.vector
language internal immutable strict parallel safe as 'json_in';
create function @extschema@.vector_out(@extschema@.vector) returns cstring
language internal immutable strict parallel safe as 'json_out';
create function @extschema@.vector_typmod_in(cstring[]) returns int
language internal immutable strict parallel safe as 'varchartypmodin';
create function @extschema@.vector_typmod_out(int) returns cstring
language internal immutable strict parallel safe as 'varchartypmodout';
create type @extschema@.vector (
  input = @extschema@.vector_in,
  output = @extschema@.vector_out,
  typmod_in = @extschema@.vector_typmod_in,
  typmod_out = @extschema@.vector_typmod_out,
  internallength = variable,
  storage = extended
);
-- Both types have the same binary representation.
create cast (@extschema@.vector as text) without function;

-- Volatile because an immutable function would be evaluated during planning, even in branches that are never reached.
create function @extschema@._vector_fault(message text) returns real[]
language plpgsql volatile parallel safe
as $$
begin
  raise exception using errcode = '22000', message = message;
end
$$;

-- Parses the numbers as an array. Any other text is rejected.
create function @extschema@.vector_to_float4(v @extschema@.vector, typmod int default -1, explicit boolean default false)
returns real[]
language sql immutable strict parallel safe
return case
  when v::text ~ '^\s*\[[-+0-9.eE,\s]+\]\s*$' then translate(v::text, '[] ', '{}')::real[]
  else @extschema@._vector_fault('invalid input for type vector: "' || left(v::text, 40) || '"')
end;

create function @extschema@._vector_of(numbers real[]) returns @extschema@.vector
language sql immutable parallel safe
return case
  when array_ndims(numbers) <> 1 then @extschema@._vector_fault('array must be 1-D')::text::@extschema@.vector
  when coalesce(cardinality(numbers), 0) = 0 then
    @extschema@._vector_fault('vector must have at least 1 dimension')::text::@extschema@.vector
  when cardinality(numbers) > 16000 then
    @extschema@._vector_fault('vector cannot have more than 16000 dimensions')::text::@extschema@.vector
  when array_position(numbers, null) is not null then
    @extschema@._vector_fault('array must not contain nulls')::text::@extschema@.vector
  when numbers && array['NaN', 'Infinity', '-Infinity']::real[] then
    @extschema@._vector_fault('NaN and infinite values are not allowed in vector')::text::@extschema@.vector
  else ('[' || array_to_string(numbers, ',') || ']')::@extschema@.vector
end;

-- The type modifier is varchar's, which includes a 4-byte header.
create function @extschema@._vector_sized(numbers real[], typmod int) returns @extschema@.vector
language sql immutable parallel safe
return case
  when typmod <> -1 and typmod - 4 <> cardinality(numbers) then
    @extschema@._vector_fault(format('expected %s dimensions, not %s', typmod - 4, cardinality(numbers)))::text::@extschema@.vector
  else @extschema@._vector_of(numbers)
end;

create function @extschema@.vector(v @extschema@.vector, typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_sized(@extschema@.vector_to_float4(v), typmod);
create cast (@extschema@.vector as @extschema@.vector)
  with function @extschema@.vector(@extschema@.vector, int, boolean) as implicit;
create cast (@extschema@.vector as real[])
  with function @extschema@.vector_to_float4(@extschema@.vector, int, boolean) as implicit;

create function @extschema@.array_to_vector(numbers int[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_sized(numbers::real[], typmod);
create cast (int[] as @extschema@.vector)
  with function @extschema@.array_to_vector(int[], int, boolean) as assignment;

create function @extschema@.array_to_vector(numbers real[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_sized(numbers::real[], typmod);
create cast (real[] as @extschema@.vector)
  with function @extschema@.array_to_vector(real[], int, boolean) as assignment;

create function @extschema@.array_to_vector(numbers double precision[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_sized(numbers::real[], typmod);
create cast (double precision[] as @extschema@.vector)
  with function @extschema@.array_to_vector(double precision[], int, boolean) as assignment;

create function @extschema@.array_to_vector(numbers numeric[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_sized(numbers::real[], typmod);
create cast (numeric[] as @extschema@.vector)
  with function @extschema@.array_to_vector(numeric[], int, boolean) as assignment;

create function @extschema@.vector_dims(v @extschema@.vector) returns int
language sql immutable strict parallel safe
return cardinality(@extschema@.vector_to_float4(v));

-- Requires both arrays to have the same length and returns the second one.
create function @extschema@._vector_alike(a real[], b real[]) returns real[]
language sql immutable parallel safe
return case
  when cardinality(a) = cardinality(b) then b
  else @extschema@._vector_fault(format('different vector dimensions %s and %s', cardinality(a), cardinality(b)))
end;

create function @extschema@.l2_squared_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select sum((p::float8 - q::float8) * (p::float8 - q::float8))
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) as each (p, q);
end;

create function @extschema@.l2_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select sqrt(sum((p::float8 - q::float8) * (p::float8 - q::float8)))
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) as each (p, q);
end;

create function @extschema@.inner_product(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select sum(p::float8 * q::float8)
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) as each (p, q);
end;

create function @extschema@.vector_negative_inner_product(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select -sum(p::float8 * q::float8)
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) as each (p, q);
end;

create function @extschema@.l1_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select sum(abs(p::float8 - q::float8))
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) as each (p, q);
end;

create function @extschema@.cosine_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select case
    when sum(p::float8 * p::float8) * sum(q::float8 * q::float8) = 0 then 'NaN'
    else 1 - greatest(-1, least(1, sum(p::float8 * q::float8) / sqrt(sum(p::float8 * p::float8) * sum(q::float8 * q::float8))))
  end
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) as each (p, q);
end;

create function @extschema@.vector_add(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array_agg(p + q order by n))
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) with ordinality as each (p, q, n);
end;

create function @extschema@.vector_sub(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array_agg(p - q order by n))
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) with ordinality as each (p, q, n);
end;

create function @extschema@.vector_mul(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array_agg(p * q order by n))
  from (select @extschema@.vector_to_float4(a) as x, @extschema@.vector_to_float4(b) as y offset 0) as arrays,
    unnest(x, @extschema@._vector_alike(x, y)) with ordinality as each (p, q, n);
end;

create function @extschema@.vector_concat(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@.vector_to_float4(a) || @extschema@.vector_to_float4(b));

create function @extschema@.vector_norm(v @extschema@.vector) returns double precision
language sql immutable strict parallel safe
begin atomic
  select sqrt(sum(p::float8 * p::float8)) from unnest(@extschema@.vector_to_float4(v)) as each (p);
end;

create function @extschema@.l2_normalize(v @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array_agg(coalesce(p / nullif(@extschema@.vector_norm(v), 0), 0)::real order by n))
  from unnest(@extschema@.vector_to_float4(v)) with ordinality as each (p, n);
end;

create function @extschema@.subvector(v @extschema@.vector, start int, count int) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of((@extschema@.vector_to_float4(v))[start : start + count - 1]);

create function @extschema@.binary_quantize(v @extschema@.vector) returns bit
language sql immutable strict parallel safe
begin atomic
  select string_agg(case when p > 0 then '1' else '0' end, '' order by n)::bit varying
  from unnest(@extschema@.vector_to_float4(v)) with ordinality as each (p, n);
end;

create operator @extschema@.<-> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.l2_distance, commutator = operator(@extschema@.<->)
);
create operator @extschema@.<#> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_negative_inner_product, commutator = operator(@extschema@.<#>)
);
create operator @extschema@.<=> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.cosine_distance, commutator = operator(@extschema@.<=>)
);
create operator @extschema@.<+> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.l1_distance, commutator = operator(@extschema@.<+>)
);
create operator @extschema@.+ (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_add, commutator = operator(@extschema@.+)
);
create operator @extschema@.- (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_sub
);
create operator @extschema@.* (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_mul, commutator = operator(@extschema@.*)
);
create operator @extschema@.|| (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_concat
);

-- Ordering and equality of the numbers, for indexes, DISTINCT and GROUP BY.
create function @extschema@.vector_cmp(a @extschema@.vector, b @extschema@.vector) returns int
language sql immutable strict parallel safe
return btarraycmp(@extschema@.vector_to_float4(a), @extschema@.vector_to_float4(b));
create function @extschema@._vector_hash(v @extschema@.vector) returns int
language sql immutable strict parallel safe
return hash_array(@extschema@.vector_to_float4(v));

create function @extschema@.vector_lt(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_to_float4(a) < @extschema@.vector_to_float4(b);
create operator @extschema@.< (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_lt,
  commutator = operator(@extschema@.>), negator = operator(@extschema@.>=),
  restrict = scalarltsel, join = scalarltjoinsel
);
create function @extschema@.vector_le(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_to_float4(a) <= @extschema@.vector_to_float4(b);
create operator @extschema@.<= (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_le,
  commutator = operator(@extschema@.>=), negator = operator(@extschema@.>),
  restrict = scalarlesel, join = scalarlejoinsel
);
create function @extschema@.vector_eq(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_to_float4(a) = @extschema@.vector_to_float4(b);
create operator @extschema@.= (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_eq,
  commutator = operator(@extschema@.=), negator = operator(@extschema@.<>),
  restrict = eqsel, join = eqjoinsel, hashes
);
create function @extschema@.vector_ne(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_to_float4(a) <> @extschema@.vector_to_float4(b);
create operator @extschema@.<> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_ne,
  commutator = operator(@extschema@.<>), negator = operator(@extschema@.=),
  restrict = neqsel, join = neqjoinsel
);
create function @extschema@.vector_ge(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_to_float4(a) >= @extschema@.vector_to_float4(b);
create operator @extschema@.>= (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_ge,
  commutator = operator(@extschema@.<=), negator = operator(@extschema@.<),
  restrict = scalargesel, join = scalargejoinsel
);
create function @extschema@.vector_gt(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_to_float4(a) > @extschema@.vector_to_float4(b);
create operator @extschema@.> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_gt,
  commutator = operator(@extschema@.<), negator = operator(@extschema@.<=),
  restrict = scalargtsel, join = scalargtjoinsel
);
create operator class @extschema@.vector_ops default for type @extschema@.vector using btree as
  operator 1 @extschema@.<, operator 2 @extschema@.<=, operator 3 @extschema@.=, operator 4 @extschema@.>=, operator 5 @extschema@.>,
  function 1 @extschema@.vector_cmp(@extschema@.vector, @extschema@.vector);
create operator class @extschema@._vector_hash_ops default for type @extschema@.vector using hash as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);

create function @extschema@._vector_sum(state double precision[], v @extschema@.vector) returns double precision[]
language sql immutable parallel safe
begin atomic
  select case
    when v is null then state
    when state is null then array_prepend(1::float8, numbers::float8[])
    else array_prepend(state[1] + 1, (
      select array_agg(s + n order by position)
      from unnest(state[2:], @extschema@._vector_alike(state[2:]::real[], numbers)::float8[]) with ordinality as each (s, n, position)))
  end
  from (select @extschema@.vector_to_float4(v) as numbers offset 0) as array_of;
end;
create function @extschema@._vector_total(state double precision[]) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(state[2:]::real[]);
create function @extschema@._vector_mean(state double precision[]) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array_agg((n / state[1])::real order by position))
  from unnest(state[2:]) with ordinality as each (n, position);
end;
create aggregate @extschema@.sum(@extschema@.vector) (
  sfunc = @extschema@._vector_sum, stype = double precision[], finalfunc = @extschema@._vector_total, parallel = safe
);
create aggregate @extschema@.avg(@extschema@.vector) (
  sfunc = @extschema@._vector_sum, stype = double precision[], finalfunc = @extschema@._vector_mean, parallel = safe
);

-- pgvector's index types can be created so that migrations succeed, but searches don't use them. They are hash indexes
-- internally.
create access method hnsw type index handler hashhandler;
create access method ivfflat type index handler hashhandler;
create operator class @extschema@.vector_l2_ops for type @extschema@.vector using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);
create operator class @extschema@.vector_ip_ops for type @extschema@.vector using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);
create operator class @extschema@.vector_cosine_ops for type @extschema@.vector using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);
create operator class @extschema@.vector_l1_ops for type @extschema@.vector using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);
create operator class @extschema@.vector_l2_ops default for type @extschema@.vector using ivfflat as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);
create operator class @extschema@.vector_ip_ops for type @extschema@.vector using ivfflat as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);
create operator class @extschema@.vector_cosine_ops for type @extschema@.vector using ivfflat as
  operator 1 @extschema@.=, function 1 @extschema@._vector_hash(@extschema@.vector);

create function @extschema@._vector_index_notice() returns event_trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  made record;
begin
  for made in
    select c.relname, a.amname
    from pg_event_trigger_ddl_commands() d
    join pg_class c on c.oid = d.objid
    join pg_am a on a.oid = c.relam
    where d.classid = 'pg_class'::regclass and a.amname in ('hnsw', 'ivfflat')
  loop
    raise notice 'the % index % speeds nothing up: searches for vectors are exact here, and look at every row', made.amname, made.relname
      using hint = 'For more than some ten thousand rows use a PostgreSQL with pgvector (--database-url).';
  end loop;
end
$$;
create event trigger plinth_vector_index_notice on ddl_command_end when tag in ('CREATE INDEX')
  execute function @extschema@._vector_index_notice();
