-- halfvec: numbers with half precision, stored as `[1,2,3]`. A value is rounded when it is converted, compared or
-- stored in a column with a number of dimensions.

create type @extschema@.halfvec;
create function @extschema@.halfvec_in(cstring) returns @extschema@.halfvec
language internal immutable strict parallel safe as 'json_in';
create function @extschema@.halfvec_out(@extschema@.halfvec) returns cstring
language internal immutable strict parallel safe as 'json_out';
create function @extschema@.halfvec_typmod_in(cstring[]) returns int
language internal immutable strict parallel safe as 'varchartypmodin';
create function @extschema@.halfvec_typmod_out(int) returns cstring
language internal immutable strict parallel safe as 'varchartypmodout';
create type @extschema@.halfvec (
  input = @extschema@.halfvec_in,
  output = @extschema@.halfvec_out,
  typmod_in = @extschema@.halfvec_typmod_in,
  typmod_out = @extschema@.halfvec_typmod_out,
  internallength = variable,
  storage = extended
);
-- The cast needs no function, because the stored bytes are identical to those of the text.
create cast (@extschema@.halfvec as text) without function;

-- Rounds to half precision, which has 11 binary digits and exponents from -14. Rounds halfway cases to the even digit.
-- `x` must not contain infinite values.
create function @extschema@._halves(x real[]) returns real[]
language sql immutable strict parallel safe
begin atomic
  select array(
    select case
      when abs(rounded) <= 65504 then rounded::real
      else (@extschema@._vector_fault(format('"%s" is out of range for type halfvec', p), '22003'))[1]
    end
    from unnest(x) with ordinality as each (p, n),
      power(2::float8, greatest(coalesce(floor(ln(abs(nullif(p, 0)::float8)) / ln(2::float8)), -14), -14) - 10) as step,
      lateral (select round(p::float8 / step) * step as rounded offset 0) as result
    order by n);
end;

create function @extschema@._halfvec_numbers(v @extschema@.halfvec) returns real[]
language sql immutable strict parallel safe
return @extschema@._halves(@extschema@._vector_parsed(v::text, 'halfvec'));

create function @extschema@._halfvec_of(numbers real[]) returns @extschema@.halfvec
language sql immutable parallel safe
return @extschema@._vector_printed(@extschema@._halves(@extschema@._vector_checked(numbers, 'halfvec')))::@extschema@.halfvec;

-- Returns the result of an operation on two elements, which may be too large or too small for half precision.
create function @extschema@._half_result(result real, is_zero boolean) returns real
language sql immutable parallel safe
return case
  when abs(result) >= 65520 then (@extschema@._vector_fault('value out of range: overflow', '22003'))[1]
  when abs(result) <= 2.9802322387695312e-08 and not is_zero then
    (@extschema@._vector_fault('value out of range: underflow', '22003'))[1]
  else result
end;

create function @extschema@.halfvec(v @extschema@.halfvec, typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sized(@extschema@._halfvec_numbers(v), typmod));
create cast (@extschema@.halfvec as @extschema@.halfvec)
  with function @extschema@.halfvec(@extschema@.halfvec, int, boolean) as implicit;

create function @extschema@.halfvec_to_float4(v @extschema@.halfvec, typmod int, explicit boolean) returns real[]
language sql immutable strict parallel safe
return @extschema@._halfvec_numbers(v);
create cast (@extschema@.halfvec as real[])
  with function @extschema@.halfvec_to_float4(@extschema@.halfvec, int, boolean) as assignment;

create function @extschema@.array_to_halfvec(numbers int[], typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sized(numbers::real[], typmod));
create cast (int[] as @extschema@.halfvec)
  with function @extschema@.array_to_halfvec(int[], int, boolean) as assignment;

create function @extschema@.array_to_halfvec(numbers real[], typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sized(numbers, typmod));
create cast (real[] as @extschema@.halfvec)
  with function @extschema@.array_to_halfvec(real[], int, boolean) as assignment;

create function @extschema@.array_to_halfvec(numbers double precision[], typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sized(@extschema@._vector_reals(numbers), typmod));
create cast (double precision[] as @extschema@.halfvec)
  with function @extschema@.array_to_halfvec(double precision[], int, boolean) as assignment;

create function @extschema@.array_to_halfvec(numbers numeric[], typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sized(@extschema@._vector_reals(numbers::double precision[]), typmod));
create cast (numeric[] as @extschema@.halfvec)
  with function @extschema@.array_to_halfvec(numeric[], int, boolean) as assignment;

create function @extschema@.vector_dims(v @extschema@.halfvec) returns int
language sql immutable strict parallel safe
return cardinality(@extschema@._vector_parsed(v::text, 'halfvec'));

create function @extschema@.l2_norm(v @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return @extschema@._norm(@extschema@._halfvec_numbers(v));

create function @extschema@.l2_normalize(v @extschema@.halfvec) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._normalized(@extschema@._halfvec_numbers(v)));

create function @extschema@.subvector(v @extschema@.halfvec, start int, count int) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sliced(@extschema@._halfvec_numbers(v), start, count, 'halfvec'));

create function @extschema@.binary_quantize(v @extschema@.halfvec) returns bit
language sql immutable strict parallel safe
return @extschema@._quantized(@extschema@._halfvec_numbers(v));

create function @extschema@.l2_distance(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return sqrt(@extschema@._l2_squared(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec'));
create operator @extschema@.<-> (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.l2_distance, commutator = operator(@extschema@.<->)
);

create function @extschema@.halfvec_l2_squared_distance(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return @extschema@._l2_squared(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec');

create function @extschema@.inner_product(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return @extschema@._inner_product(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec');

create function @extschema@.halfvec_negative_inner_product(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return -@extschema@._inner_product(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec');
create operator @extschema@.<#> (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_negative_inner_product,
  commutator = operator(@extschema@.<#>)
);

create function @extschema@.cosine_distance(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return @extschema@._cosine(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec');
create operator @extschema@.<=> (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.cosine_distance, commutator = operator(@extschema@.<=>)
);

create function @extschema@.l1_distance(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return @extschema@._l1(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec');
create operator @extschema@.<+> (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.l1_distance, commutator = operator(@extschema@.<+>)
);

create function @extschema@.halfvec_spherical_distance(a @extschema@.halfvec, b @extschema@.halfvec) returns double precision
language sql immutable strict parallel safe
return @extschema@._spherical(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b), 'halfvec');

create function @extschema@.halfvec_add(a @extschema@.halfvec, b @extschema@.halfvec) returns @extschema@.halfvec
language sql immutable strict parallel safe
begin atomic
  select @extschema@._halfvec_of(array(select @extschema@._half_result(p + q, true) from unnest(x, @extschema@._vector_alike(x, y, 'halfvec')) with ordinality as each (p, q, n) order by n))
  from (select @extschema@._halfvec_numbers(a) as x, @extschema@._halfvec_numbers(b) as y offset 0) as arrays;
end;
create operator @extschema@.+ (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_add, commutator = operator(@extschema@.+)
);

create function @extschema@.halfvec_sub(a @extschema@.halfvec, b @extschema@.halfvec) returns @extschema@.halfvec
language sql immutable strict parallel safe
begin atomic
  select @extschema@._halfvec_of(array(select @extschema@._half_result(p - q, true) from unnest(x, @extschema@._vector_alike(x, y, 'halfvec')) with ordinality as each (p, q, n) order by n))
  from (select @extschema@._halfvec_numbers(a) as x, @extschema@._halfvec_numbers(b) as y offset 0) as arrays;
end;
create operator @extschema@.- (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_sub
);

create function @extschema@.halfvec_mul(a @extschema@.halfvec, b @extschema@.halfvec) returns @extschema@.halfvec
language sql immutable strict parallel safe
begin atomic
  select @extschema@._halfvec_of(array(select @extschema@._half_result(p * q, p = 0 or q = 0) from unnest(x, @extschema@._vector_alike(x, y, 'halfvec')) with ordinality as each (p, q, n) order by n))
  from (select @extschema@._halfvec_numbers(a) as x, @extschema@._halfvec_numbers(b) as y offset 0) as arrays;
end;
create operator @extschema@.* (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_mul, commutator = operator(@extschema@.*)
);

create function @extschema@.halfvec_concat(a @extschema@.halfvec, b @extschema@.halfvec) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._halfvec_numbers(a) || @extschema@._halfvec_numbers(b));
create operator @extschema@.|| (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_concat
);

-- Defines the order and the equality of the numbers, which indexes, DISTINCT and GROUP BY use.
create function @extschema@.halfvec_cmp(a @extschema@.halfvec, b @extschema@.halfvec) returns int
language sql immutable strict parallel safe
return btarraycmp(@extschema@._halfvec_numbers(a), @extschema@._halfvec_numbers(b));
create function @extschema@._halfvec_hash(v @extschema@.halfvec) returns int
language sql immutable strict parallel safe
return hash_array(@extschema@._halfvec_numbers(v));

create function @extschema@.halfvec_lt(a @extschema@.halfvec, b @extschema@.halfvec) returns boolean
language sql immutable strict parallel safe
return @extschema@.halfvec_cmp(a, b) < 0;
create operator @extschema@.< (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_lt,
  commutator = operator(@extschema@.>), negator = operator(@extschema@.>=),
  restrict = scalarltsel, join = scalarltjoinsel
);
create function @extschema@.halfvec_le(a @extschema@.halfvec, b @extschema@.halfvec) returns boolean
language sql immutable strict parallel safe
return @extschema@.halfvec_cmp(a, b) <= 0;
create operator @extschema@.<= (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_le,
  commutator = operator(@extschema@.>=), negator = operator(@extschema@.>),
  restrict = scalarlesel, join = scalarlejoinsel
);
create function @extschema@.halfvec_eq(a @extschema@.halfvec, b @extschema@.halfvec) returns boolean
language sql immutable strict parallel safe
return @extschema@.halfvec_cmp(a, b) = 0;
create operator @extschema@.= (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_eq,
  commutator = operator(@extschema@.=), negator = operator(@extschema@.<>),
  restrict = eqsel, join = eqjoinsel, hashes
);
create function @extschema@.halfvec_ne(a @extschema@.halfvec, b @extschema@.halfvec) returns boolean
language sql immutable strict parallel safe
return @extschema@.halfvec_cmp(a, b) <> 0;
create operator @extschema@.<> (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_ne,
  commutator = operator(@extschema@.<>), negator = operator(@extschema@.=),
  restrict = neqsel, join = neqjoinsel
);
create function @extschema@.halfvec_ge(a @extschema@.halfvec, b @extschema@.halfvec) returns boolean
language sql immutable strict parallel safe
return @extschema@.halfvec_cmp(a, b) >= 0;
create operator @extschema@.>= (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_ge,
  commutator = operator(@extschema@.<=), negator = operator(@extschema@.<),
  restrict = scalargesel, join = scalargejoinsel
);
create function @extschema@.halfvec_gt(a @extschema@.halfvec, b @extschema@.halfvec) returns boolean
language sql immutable strict parallel safe
return @extschema@.halfvec_cmp(a, b) > 0;
create operator @extschema@.> (
  leftarg = @extschema@.halfvec, rightarg = @extschema@.halfvec, function = @extschema@.halfvec_gt,
  commutator = operator(@extschema@.<), negator = operator(@extschema@.<=),
  restrict = scalargtsel, join = scalargtjoinsel
);
create operator class @extschema@.halfvec_ops default for type @extschema@.halfvec using btree as
  operator 1 @extschema@.<, operator 2 @extschema@.<=, operator 3 @extschema@.=, operator 4 @extschema@.>=, operator 5 @extschema@.>,
  function 1 @extschema@.halfvec_cmp(@extschema@.halfvec, @extschema@.halfvec);
create operator class @extschema@._halfvec_hash_ops default for type @extschema@.halfvec using hash as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);

create function @extschema@.halfvec_combine(a double precision[], b double precision[]) returns double precision[]
language sql immutable strict parallel safe
return @extschema@.vector_combine(a, b);

create function @extschema@.halfvec_accum(state double precision[], v @extschema@.halfvec) returns double precision[]
language sql immutable strict parallel safe
return @extschema@._accumulated(@extschema@._vector_state(state, 'halfvec_accum'), @extschema@._halfvec_numbers(v));
create function @extschema@.halfvec_avg(state double precision[]) returns @extschema@.halfvec
language sql immutable strict parallel safe
begin atomic
  select case
    when mean is not null then @extschema@._halfvec_of(@extschema@._vector_reals(mean))
  end
  from (select @extschema@._mean(@extschema@._vector_state(state, 'halfvec_avg')) as mean offset 0) as means;
end;
create aggregate @extschema@.avg(@extschema@.halfvec) (
  sfunc = @extschema@.halfvec_accum, stype = double precision[], initcond = '{0}', finalfunc = @extschema@.halfvec_avg,
  combinefunc = @extschema@.halfvec_combine, parallel = safe
);
create aggregate @extschema@.sum(@extschema@.halfvec) (
  sfunc = @extschema@.halfvec_add, stype = @extschema@.halfvec, combinefunc = @extschema@.halfvec_add, parallel = safe
);

create function @extschema@.halfvec_to_vector(v @extschema@.halfvec, typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._vector_sized(@extschema@._halfvec_numbers(v), typmod));
create cast (@extschema@.halfvec as @extschema@.vector)
  with function @extschema@.halfvec_to_vector(@extschema@.halfvec, int, boolean) as assignment;

create function @extschema@.vector_to_halfvec(v @extschema@.vector, typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._vector_sized(@extschema@._vector_numbers(v), typmod));
create cast (@extschema@.vector as @extschema@.halfvec)
  with function @extschema@.vector_to_halfvec(@extschema@.vector, int, boolean) as implicit;
