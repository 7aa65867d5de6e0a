-- sparsevec: the nonzero elements and the number of dimensions, stored as `{1:1.5,3:3.5}/5`.

create type @extschema@.sparsevec;
create function @extschema@.sparsevec_in(cstring) returns @extschema@.sparsevec
language internal immutable strict parallel safe as 'textin';
create function @extschema@.sparsevec_out(@extschema@.sparsevec) returns cstring
language internal immutable strict parallel safe as 'textout';
create function @extschema@.sparsevec_typmod_in(cstring[]) returns int
language internal immutable strict parallel safe as 'varchartypmodin';
create function @extschema@.sparsevec_typmod_out(int) returns cstring
language internal immutable strict parallel safe as 'varchartypmodout';
create type @extschema@.sparsevec (
  input = @extschema@.sparsevec_in,
  output = @extschema@.sparsevec_out,
  typmod_in = @extschema@.sparsevec_typmod_in,
  typmod_out = @extschema@.sparsevec_typmod_out,
  internallength = variable,
  storage = extended
);
create cast (@extschema@.sparsevec as text) without function;

-- The parts of a value. `positions` start at 1 and are in ascending order.
create type @extschema@._sparse as (positions int[], numbers real[], dimensions int);

create function @extschema@._sparse_fault(message text, code text default '22000') returns @extschema@._sparse
language plpgsql volatile parallel safe
as $$
begin
  raise exception using errcode = code, message = message;
end
$$;

create function @extschema@._sparse_checked(s @extschema@._sparse) returns @extschema@._sparse
language sql immutable parallel safe
return case
  when (s).dimensions < 1 then @extschema@._sparse_fault('sparsevec must have at least 1 dimension')
  when (s).dimensions > 1000000000 then
    @extschema@._sparse_fault('sparsevec cannot have more than 1000000000 dimensions', '54000')
  when cardinality((s).numbers) > 16000 then
    @extschema@._sparse_fault('sparsevec cannot have more than 16000 non-zero elements', '54000')
  when 'NaN'::real = any ((s).numbers) then @extschema@._sparse_fault('NaN not allowed in sparsevec')
  when (s).numbers && array['Infinity', '-Infinity']::real[] then
    @extschema@._sparse_fault('infinite value not allowed in sparsevec')
  when (s).positions[1] < 1 or (s).positions[cardinality((s).positions)] > (s).dimensions then
    @extschema@._sparse_fault('sparsevec index out of bounds')
  when exists (select from unnest((s).positions, (s).positions[2:]) as each (m, n) where m = n) then
    @extschema@._sparse_fault('sparsevec indices must not contain duplicates')
  else s
end;

create function @extschema@._sparse_sized(s @extschema@._sparse, typmod int) returns @extschema@._sparse
language sql immutable parallel safe
return case
  when typmod <> -1 and typmod - 4 <> (s).dimensions then
    @extschema@._sparse_fault(format('expected %s dimensions, not %s', typmod - 4, (s).dimensions))
  else s
end;

create function @extschema@._sparse_of(numbers real[]) returns @extschema@._sparse
language sql immutable strict parallel safe
begin atomic
  select @extschema@._sparse_checked(row(
    array(select n::int from unnest(numbers) with ordinality as each (p, n) where p <> 0 order by n),
    array(select p from unnest(numbers) as each (p) where p <> 0),
    cardinality(numbers))::@extschema@._sparse);
end;

-- Unlike vectors, arrays can contain NULL and have multiple dimensions.
create function @extschema@._sparse_of_array(numbers real[]) returns @extschema@._sparse
language sql immutable parallel safe
return case
  when array_ndims(numbers) <> 1 then @extschema@._sparse_fault('array must be 1-D')
  when array_position(numbers, null) is not null then @extschema@._sparse_fault('array must not contain nulls', '22004')
  else @extschema@._sparse_of(numbers)
end;

create function @extschema@._sparse_dense(s @extschema@._sparse, kind text) returns real[]
language sql immutable parallel safe
begin atomic
  select case
    when (s).dimensions > 16000 then
      @extschema@._vector_fault(kind || ' cannot have more than 16000 dimensions', '54000')
    else array(
      select coalesce(p, 0)
      from generate_series(1, (s).dimensions) as n
      left join unnest((s).positions, (s).numbers) as each (position, p) on position = n
      order by n)
  end;
end;

create function @extschema@._sparsevec_parsed(v @extschema@.sparsevec) returns @extschema@._sparse
language sql immutable strict parallel safe
begin atomic
  select case
    when parts is null then @extschema@._sparse_fault(
      format('invalid input syntax for type sparsevec: "%s"', left(v::text, 40)), '22P02')
    else (
      select @extschema@._sparse_checked(row(
        coalesce(array_agg(position order by position) filter (where p <> 0), '{}'),
        coalesce((@extschema@._vector_reals(array_agg(p order by position) filter (where p <> 0))), '{}'),
        least(parts[2]::numeric, 2147483647)::int)::@extschema@._sparse)
      from (
        select
          greatest(-2147483647, least(split_part(element, ':', 1)::numeric, 2147483647))::int as position,
          split_part(element, ':', 2)::double precision as p
        from string_to_table(nullif(btrim(parts[1], E' \t\n\r\v\f'), ''), ',') as element
      ) as elements)
  end
  from (
    select regexp_match(v::text, '^\s*\{((?:\s*[-+]?\d+\s*:\s*(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|infinity))\s*(?:,(?=\s*[-+\d])|(?=\s*\})))*\s*)\}\s*/\s*([-+]?\d+)\s*$', 'i') as parts
    offset 0
  ) as matched;
end;

create function @extschema@._sparsevec_printed(s @extschema@._sparse) returns @extschema@.sparsevec
language sql immutable parallel safe
begin atomic
  select ('{' || coalesce(string_agg(position || ':' || p, ',' order by position), '') || '}/' || (s).dimensions)::@extschema@.sparsevec
  from unnest((s).positions, (s).numbers) as each (position, p);
end;

create function @extschema@.sparsevec(v @extschema@.sparsevec, typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparsevec_parsed(v), typmod));
create cast (@extschema@.sparsevec as @extschema@.sparsevec)
  with function @extschema@.sparsevec(@extschema@.sparsevec, int, boolean) as implicit;

create function @extschema@.vector_to_sparsevec(v @extschema@.vector, typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparse_of(@extschema@._vector_numbers(v)), typmod));
create cast (@extschema@.vector as @extschema@.sparsevec)
  with function @extschema@.vector_to_sparsevec(@extschema@.vector, int, boolean) as implicit;

create function @extschema@.sparsevec_to_vector(v @extschema@.sparsevec, typmod int, explicit boolean) returns @extschema@.vector
language sql immutable strict parallel safe
return @extschema@._vector_of(@extschema@._sparse_dense(@extschema@._sparse_sized(@extschema@._sparsevec_parsed(v), typmod), 'vector'));
create cast (@extschema@.sparsevec as @extschema@.vector)
  with function @extschema@.sparsevec_to_vector(@extschema@.sparsevec, int, boolean) as assignment;

create function @extschema@.halfvec_to_sparsevec(v @extschema@.halfvec, typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparse_of(@extschema@._halfvec_numbers(v)), typmod));
create cast (@extschema@.halfvec as @extschema@.sparsevec)
  with function @extschema@.halfvec_to_sparsevec(@extschema@.halfvec, int, boolean) as implicit;

create function @extschema@.sparsevec_to_halfvec(v @extschema@.sparsevec, typmod int, explicit boolean) returns @extschema@.halfvec
language sql immutable strict parallel safe
return @extschema@._halfvec_of(@extschema@._sparse_dense(@extschema@._sparse_sized(@extschema@._sparsevec_parsed(v), typmod), 'halfvec'));
create cast (@extschema@.sparsevec as @extschema@.halfvec)
  with function @extschema@.sparsevec_to_halfvec(@extschema@.sparsevec, int, boolean) as assignment;

create function @extschema@.array_to_sparsevec(numbers int[], typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparse_of_array(numbers::real[]), typmod));
create cast (int[] as @extschema@.sparsevec)
  with function @extschema@.array_to_sparsevec(int[], int, boolean) as assignment;

create function @extschema@.array_to_sparsevec(numbers real[], typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparse_of_array(numbers), typmod));
create cast (real[] as @extschema@.sparsevec)
  with function @extschema@.array_to_sparsevec(real[], int, boolean) as assignment;

create function @extschema@.array_to_sparsevec(numbers double precision[], typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparse_of_array(@extschema@._vector_reals(numbers)), typmod));
create cast (double precision[] as @extschema@.sparsevec)
  with function @extschema@.array_to_sparsevec(double precision[], int, boolean) as assignment;

create function @extschema@.array_to_sparsevec(numbers numeric[], typmod int, explicit boolean) returns @extschema@.sparsevec
language sql immutable strict parallel safe
return @extschema@._sparsevec_printed(@extschema@._sparse_sized(@extschema@._sparse_of_array(@extschema@._vector_reals(numbers::double precision[])), typmod));
create cast (numeric[] as @extschema@.sparsevec)
  with function @extschema@.array_to_sparsevec(numeric[], int, boolean) as assignment;

-- Returns the elements of both vectors at the positions where either vector has an element, up to dimension `upto`. The
-- array has one row per vector.
create function @extschema@._sparse_pair(a @extschema@._sparse, b @extschema@._sparse, upto int) returns real[]
language sql immutable parallel safe
begin atomic
  select array[
    coalesce(array_agg(coalesce(p, 0::real) order by position), '{}'),
    coalesce(array_agg(coalesce(q, 0::real) order by position), '{}')]
  from unnest((a).positions, (a).numbers) as left_each (position, p)
  full join unnest((b).positions, (b).numbers) as right_each (position, q) using (position)
  where position <= upto;
end;

-- Returns the same pairs as `_sparse_pair` for vectors with the same number of dimensions.
create function @extschema@._sparsevec_pair(a @extschema@.sparsevec, b @extschema@.sparsevec) returns real[]
language sql immutable strict parallel safe
begin atomic
  select case
    when (s).dimensions = (t).dimensions then @extschema@._sparse_pair(s, t, (s).dimensions)
    else @extschema@._vector_fault(format('different sparsevec dimensions %s and %s', (s).dimensions, (t).dimensions))
  end
  from (select @extschema@._sparsevec_parsed(a) as s, @extschema@._sparsevec_parsed(b) as t offset 0) as parsed;
end;

create function @extschema@._sparsevec_compared(a @extschema@.sparsevec, b @extschema@.sparsevec) returns int
language sql immutable strict parallel safe
begin atomic
  select coalesce(nullif(btarraycmp(pair[1:1], pair[2:2]), 0), sign((s).dimensions - (t).dimensions)::int)
  from (select @extschema@._sparsevec_parsed(a) as s, @extschema@._sparsevec_parsed(b) as t offset 0) as parsed,
    lateral (select @extschema@._sparse_pair(s, t, least((s).dimensions, (t).dimensions)) as pair offset 0) as pairs;
end;

create function @extschema@._sparse_l2_squared(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
begin atomic
  select @extschema@._l2_squared(pair[1:1], pair[2:2], 'sparsevec')
  from (select @extschema@._sparsevec_pair(a, b) as pair offset 0) as pairs;
end;

create function @extschema@._sparse_inner_product(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
begin atomic
  select @extschema@._inner_product(pair[1:1], pair[2:2], 'sparsevec')
  from (select @extschema@._sparsevec_pair(a, b) as pair offset 0) as pairs;
end;

create function @extschema@._sparse_cosine(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
begin atomic
  select @extschema@._cosine(pair[1:1], pair[2:2], 'sparsevec')
  from (select @extschema@._sparsevec_pair(a, b) as pair offset 0) as pairs;
end;

create function @extschema@._sparse_l1(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
begin atomic
  select @extschema@._l1(pair[1:1], pair[2:2], 'sparsevec')
  from (select @extschema@._sparsevec_pair(a, b) as pair offset 0) as pairs;
end;

create function @extschema@.l2_distance(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return sqrt(@extschema@._sparse_l2_squared(a, b));
create operator @extschema@.<-> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.l2_distance, commutator = operator(@extschema@.<->)
);

create function @extschema@.sparsevec_l2_squared_distance(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return @extschema@._sparse_l2_squared(a, b);

create function @extschema@.inner_product(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return @extschema@._sparse_inner_product(a, b);

create function @extschema@.sparsevec_negative_inner_product(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return -@extschema@._sparse_inner_product(a, b);
create operator @extschema@.<#> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_negative_inner_product,
  commutator = operator(@extschema@.<#>)
);

create function @extschema@.cosine_distance(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return @extschema@._sparse_cosine(a, b);
create operator @extschema@.<=> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.cosine_distance, commutator = operator(@extschema@.<=>)
);

create function @extschema@.l1_distance(a @extschema@.sparsevec, b @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return @extschema@._sparse_l1(a, b);
create operator @extschema@.<+> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.l1_distance, commutator = operator(@extschema@.<+>)
);

create function @extschema@.l2_norm(v @extschema@.sparsevec) returns double precision
language sql immutable strict parallel safe
return @extschema@._norm((@extschema@._sparsevec_parsed(v)).numbers);

create function @extschema@.l2_normalize(v @extschema@.sparsevec) returns @extschema@.sparsevec
language sql immutable strict parallel safe
begin atomic
  select @extschema@._sparsevec_printed(row(
    array_agg(position order by position) filter (where p <> 0),
    array_agg(p order by position) filter (where p <> 0),
    (s).dimensions)::@extschema@._sparse)
  from (select @extschema@._sparsevec_parsed(v) as s offset 0) as parsed
  left join unnest((s).positions, @extschema@._normalized((s).numbers)) as each (position, p) on true
  group by s;
end;

-- Defines the order and the equality of the numbers, which indexes, DISTINCT and GROUP BY use.
create function @extschema@.sparsevec_cmp(a @extschema@.sparsevec, b @extschema@.sparsevec) returns int
language sql immutable strict parallel safe
return @extschema@._sparsevec_compared(a, b);
create function @extschema@._sparsevec_hash(v @extschema@.sparsevec) returns int
language sql immutable strict parallel safe
return hashtext(@extschema@.sparsevec(v, -1, false)::text);

create function @extschema@.sparsevec_lt(a @extschema@.sparsevec, b @extschema@.sparsevec) returns boolean
language sql immutable strict parallel safe
return @extschema@.sparsevec_cmp(a, b) < 0;
create operator @extschema@.< (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_lt,
  commutator = operator(@extschema@.>), negator = operator(@extschema@.>=),
  restrict = scalarltsel, join = scalarltjoinsel
);
create function @extschema@.sparsevec_le(a @extschema@.sparsevec, b @extschema@.sparsevec) returns boolean
language sql immutable strict parallel safe
return @extschema@.sparsevec_cmp(a, b) <= 0;
create operator @extschema@.<= (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_le,
  commutator = operator(@extschema@.>=), negator = operator(@extschema@.>),
  restrict = scalarlesel, join = scalarlejoinsel
);
create function @extschema@.sparsevec_eq(a @extschema@.sparsevec, b @extschema@.sparsevec) returns boolean
language sql immutable strict parallel safe
return @extschema@.sparsevec_cmp(a, b) = 0;
create operator @extschema@.= (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_eq,
  commutator = operator(@extschema@.=), negator = operator(@extschema@.<>),
  restrict = eqsel, join = eqjoinsel, hashes
);
create function @extschema@.sparsevec_ne(a @extschema@.sparsevec, b @extschema@.sparsevec) returns boolean
language sql immutable strict parallel safe
return @extschema@.sparsevec_cmp(a, b) <> 0;
create operator @extschema@.<> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_ne,
  commutator = operator(@extschema@.<>), negator = operator(@extschema@.=),
  restrict = neqsel, join = neqjoinsel
);
create function @extschema@.sparsevec_ge(a @extschema@.sparsevec, b @extschema@.sparsevec) returns boolean
language sql immutable strict parallel safe
return @extschema@.sparsevec_cmp(a, b) >= 0;
create operator @extschema@.>= (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_ge,
  commutator = operator(@extschema@.<=), negator = operator(@extschema@.<),
  restrict = scalargesel, join = scalargejoinsel
);
create function @extschema@.sparsevec_gt(a @extschema@.sparsevec, b @extschema@.sparsevec) returns boolean
language sql immutable strict parallel safe
return @extschema@.sparsevec_cmp(a, b) > 0;
create operator @extschema@.> (
  leftarg = @extschema@.sparsevec, rightarg = @extschema@.sparsevec, function = @extschema@.sparsevec_gt,
  commutator = operator(@extschema@.<), negator = operator(@extschema@.<=),
  restrict = scalargtsel, join = scalargtjoinsel
);
create operator class @extschema@.sparsevec_ops default for type @extschema@.sparsevec using btree as
  operator 1 @extschema@.<, operator 2 @extschema@.<=, operator 3 @extschema@.=, operator 4 @extschema@.>=, operator 5 @extschema@.>,
  function 1 @extschema@.sparsevec_cmp(@extschema@.sparsevec, @extschema@.sparsevec);
create operator class @extschema@._sparsevec_hash_ops default for type @extschema@.sparsevec using hash as
  operator 1 @extschema@.=, function 1 @extschema@._sparsevec_hash(@extschema@.sparsevec);
