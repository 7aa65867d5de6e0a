-- vector: numbers of type real, stored as text such as `[1,2,3]`.

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
-- The cast needs no function, because the stored bytes are identical to those of the text.
create cast (@extschema@.vector as text) without function;

create function @extschema@._vector_numbers(v @extschema@.vector) returns real[]
language sql immutable strict parallel safe
return @extschema@._vector_parsed(v::text, 'vector');

create function @extschema@._vector_of(numbers real[]) returns @extschema@.vector
language sql immutable parallel safe
return @extschema@._vector_printed(@extschema@._vector_checked(numbers, 'vector'))::@extschema@.vector;

create function @extschema@.vector(v @extschema@.vector, typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sized(@extschema@._vector_numbers(v), typmod));
create cast (@extschema@.vector as @extschema@.vector)
  with function @extschema@.vector(@extschema@.vector, int, boolean) as implicit;

create function @extschema@.vector_to_float4(v @extschema@.vector, typmod int, explicit boolean) returns real[]
language sql immutable strict parallel safe
return @extschema@._vector_numbers(v);
create cast (@extschema@.vector as real[])
  with function @extschema@.vector_to_float4(@extschema@.vector, int, boolean) as implicit;

create function @extschema@.array_to_vector(numbers int[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sized(numbers::real[], typmod));
create cast (int[] as @extschema@.vector)
  with function @extschema@.array_to_vector(int[], int, boolean) as assignment;

create function @extschema@.array_to_vector(numbers real[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sized(numbers, typmod));
create cast (real[] as @extschema@.vector)
  with function @extschema@.array_to_vector(real[], int, boolean) as assignment;

create function @extschema@.array_to_vector(numbers double precision[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sized(@extschema@._vector_reals(numbers), typmod));
create cast (double precision[] as @extschema@.vector)
  with function @extschema@.array_to_vector(double precision[], int, boolean) as assignment;

create function @extschema@.array_to_vector(numbers numeric[], typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sized(@extschema@._vector_reals(numbers::double precision[]), typmod));
create cast (numeric[] as @extschema@.vector)
  with function @extschema@.array_to_vector(numeric[], int, boolean) as assignment;

create function @extschema@.vector_dims(v @extschema@.vector) returns int
language sql immutable strict parallel safe
return cardinality(@extschema@._vector_parsed(v::text, 'vector'));

create function @extschema@.vector_norm(v @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return @extschema@._norm(@extschema@._vector_numbers(v));

create function @extschema@.l2_normalize(v @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._normalized(@extschema@._vector_numbers(v)));

create function @extschema@.subvector(v @extschema@.vector, start int, count int) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sliced(@extschema@._vector_numbers(v), start, count, 'vector'));

create function @extschema@.binary_quantize(v @extschema@.vector) returns bit
language sql immutable strict parallel safe
return @extschema@._quantized(@extschema@._vector_numbers(v));

create function @extschema@.l2_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return sqrt(@extschema@._l2_squared(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector'));
create operator @extschema@.<-> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.l2_distance, commutator = operator(@extschema@.<->)
);

create function @extschema@.vector_l2_squared_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return @extschema@._l2_squared(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector');

create function @extschema@.inner_product(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return @extschema@._inner_product(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector');

create function @extschema@.vector_negative_inner_product(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return -@extschema@._inner_product(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector');
create operator @extschema@.<#> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_negative_inner_product,
  commutator = operator(@extschema@.<#>)
);

create function @extschema@.cosine_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return @extschema@._cosine(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector');
create operator @extschema@.<=> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.cosine_distance, commutator = operator(@extschema@.<=>)
);

create function @extschema@.l1_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return @extschema@._l1(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector');
create operator @extschema@.<+> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.l1_distance, commutator = operator(@extschema@.<+>)
);

create function @extschema@.vector_spherical_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
language sql immutable strict parallel safe
return @extschema@._spherical(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b), 'vector');

create function @extschema@.vector_add(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array(select p + q from unnest(x, @extschema@._vector_alike(x, y, 'vector')) with ordinality as each (p, q, n) order by n))
  from (select @extschema@._vector_numbers(a) as x, @extschema@._vector_numbers(b) as y offset 0) as arrays;
end;
create operator @extschema@.+ (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_add, commutator = operator(@extschema@.+)
);

create function @extschema@.vector_sub(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array(select p - q from unnest(x, @extschema@._vector_alike(x, y, 'vector')) with ordinality as each (p, q, n) order by n))
  from (select @extschema@._vector_numbers(a) as x, @extschema@._vector_numbers(b) as y offset 0) as arrays;
end;
create operator @extschema@.- (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_sub
);

create function @extschema@.vector_mul(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select @extschema@._vector_of(array(select p * q from unnest(x, @extschema@._vector_alike(x, y, 'vector')) with ordinality as each (p, q, n) order by n))
  from (select @extschema@._vector_numbers(a) as x, @extschema@._vector_numbers(b) as y offset 0) as arrays;
end;
create operator @extschema@.* (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_mul, commutator = operator(@extschema@.*)
);

create function @extschema@.vector_concat(a @extschema@.vector, b @extschema@.vector) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_numbers(a) || @extschema@._vector_numbers(b));
create operator @extschema@.|| (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_concat
);

-- Defines the order and the equality of the numbers, which indexes, DISTINCT and GROUP BY use.
create function @extschema@.vector_cmp(a @extschema@.vector, b @extschema@.vector) returns int
language sql immutable strict parallel safe
return btarraycmp(@extschema@._vector_numbers(a), @extschema@._vector_numbers(b));
create function @extschema@._vector_hash(v @extschema@.vector) returns int
language sql immutable strict parallel safe
return hash_array(@extschema@._vector_numbers(v));

create function @extschema@.vector_lt(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_cmp(a, b) < 0;
create operator @extschema@.< (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_lt,
  commutator = operator(@extschema@.>), negator = operator(@extschema@.>=),
  restrict = scalarltsel, join = scalarltjoinsel
);
create function @extschema@.vector_le(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_cmp(a, b) <= 0;
create operator @extschema@.<= (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_le,
  commutator = operator(@extschema@.>=), negator = operator(@extschema@.>),
  restrict = scalarlesel, join = scalarlejoinsel
);
create function @extschema@.vector_eq(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_cmp(a, b) = 0;
create operator @extschema@.= (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_eq,
  commutator = operator(@extschema@.=), negator = operator(@extschema@.<>),
  restrict = eqsel, join = eqjoinsel, hashes
);
create function @extschema@.vector_ne(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_cmp(a, b) <> 0;
create operator @extschema@.<> (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_ne,
  commutator = operator(@extschema@.<>), negator = operator(@extschema@.=),
  restrict = neqsel, join = neqjoinsel
);
create function @extschema@.vector_ge(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_cmp(a, b) >= 0;
create operator @extschema@.>= (
  leftarg = @extschema@.vector, rightarg = @extschema@.vector, function = @extschema@.vector_ge,
  commutator = operator(@extschema@.<=), negator = operator(@extschema@.<),
  restrict = scalargesel, join = scalargejoinsel
);
create function @extschema@.vector_gt(a @extschema@.vector, b @extschema@.vector) returns boolean
language sql immutable strict parallel safe
return @extschema@.vector_cmp(a, b) > 0;
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

create function @extschema@.vector_accum(state double precision[], v @extschema@.vector) returns double precision[]
language sql immutable strict parallel safe
return @extschema@._accumulated(@extschema@._vector_state(state, 'vector_accum'), @extschema@._vector_numbers(v));
create function @extschema@.vector_avg(state double precision[]) returns @extschema@.vector
language sql immutable strict parallel safe
begin atomic
  select case
    when mean is not null then @extschema@._vector_of(@extschema@._vector_reals(mean))
  end
  from (select @extschema@._mean(@extschema@._vector_state(state, 'vector_avg')) as mean offset 0) as means;
end;
create aggregate @extschema@.avg(@extschema@.vector) (
  sfunc = @extschema@.vector_accum, stype = double precision[], initcond = '{0}', finalfunc = @extschema@.vector_avg,
  combinefunc = @extschema@.vector_combine, parallel = safe
);
create aggregate @extschema@.sum(@extschema@.vector) (
  sfunc = @extschema@.vector_add, stype = @extschema@.vector, combinefunc = @extschema@.vector_add, parallel = safe
);
