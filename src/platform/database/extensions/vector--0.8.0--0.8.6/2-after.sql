-- Removes the functions that only the first version 0.8.0 had. A project's view may use the public function, so that
-- function is kept.
do $$
begin
  if to_regprocedure('@extschema@._vector_fault_first(text)') is null then
    return;
  end if;
  create or replace function @extschema@.l2_squared_distance(a @extschema@.vector, b @extschema@.vector) returns double precision
  language sql immutable strict parallel safe
  return @extschema@.vector_l2_squared_distance(a, b);
  begin
    drop function @extschema@.l2_squared_distance(@extschema@.vector, @extschema@.vector);
  exception when dependent_objects_still_exist then
    null;
  end;
  drop function
    @extschema@._vector_sum(double precision[], @extschema@.vector),
    @extschema@._vector_total(double precision[]),
    @extschema@._vector_mean(double precision[]),
    @extschema@._vector_alike(real[], real[]),
    @extschema@._vector_sized_first(real[], int),
    @extschema@._vector_fault_first(text);
end
$$;
