-- Plinth's first version 0.8.0 had only the type vector. Some of its internal functions have the same name as a new
-- function that returns a different type. They are renamed until nothing uses them.
do $$
begin
  if to_regprocedure('@extschema@._vector_fault(text)') is not null then
    alter function @extschema@._vector_fault(text) rename to _vector_fault_first;
    alter function @extschema@._vector_sized(real[], int) rename to _vector_sized_first;
  end if;
end
$$;
