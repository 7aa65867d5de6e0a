-- Functions for the distances between bit strings, such as those that binary_quantize() returns.

create function @extschema@.hamming_distance(a bit, b bit) returns double precision
language sql immutable strict parallel safe
return case
  when length(a) = length(b) then bit_count(a # b)::double precision
  else (@extschema@._vector_fault(format('different bit lengths %s and %s', length(a), length(b))))[1]::double precision
end;
create operator @extschema@.<~> (
  leftarg = bit, rightarg = bit, function = @extschema@.hamming_distance, commutator = operator(@extschema@.<~>)
);

-- Returns the Jaccard distance. It is 1 if the strings have no common bit, which includes two empty strings.
create function @extschema@.jaccard_distance(a bit, b bit) returns double precision
language sql immutable strict parallel safe
return case
  when length(a) <> length(b) then
    (@extschema@._vector_fault(format('different bit lengths %s and %s', length(a), length(b))))[1]::double precision
  when bit_count(a & b) = 0 then 1
  else 1 - bit_count(a & b) / bit_count(a | b)::double precision
end;
create operator @extschema@.<%> (
  leftarg = bit, rightarg = bit, function = @extschema@.jaccard_distance, commutator = operator(@extschema@.<%>)
);

create function @extschema@._bit_hash(b bit) returns int
language sql immutable strict parallel safe
return hashtext(b::text);
