-- pgvector's indexes can be created so that migrations succeed, but searches don't use them. They are implemented as
-- hash indexes.
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
create operator class @extschema@.halfvec_l2_ops for type @extschema@.halfvec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.halfvec_ip_ops for type @extschema@.halfvec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.halfvec_cosine_ops for type @extschema@.halfvec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.halfvec_l1_ops for type @extschema@.halfvec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.halfvec_l2_ops for type @extschema@.halfvec using ivfflat as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.halfvec_ip_ops for type @extschema@.halfvec using ivfflat as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.halfvec_cosine_ops for type @extschema@.halfvec using ivfflat as
  operator 1 @extschema@.=, function 1 @extschema@._halfvec_hash(@extschema@.halfvec);
create operator class @extschema@.sparsevec_l2_ops for type @extschema@.sparsevec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._sparsevec_hash(@extschema@.sparsevec);
create operator class @extschema@.sparsevec_ip_ops for type @extschema@.sparsevec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._sparsevec_hash(@extschema@.sparsevec);
create operator class @extschema@.sparsevec_cosine_ops for type @extschema@.sparsevec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._sparsevec_hash(@extschema@.sparsevec);
create operator class @extschema@.sparsevec_l1_ops for type @extschema@.sparsevec using hnsw as
  operator 1 @extschema@.=, function 1 @extschema@._sparsevec_hash(@extschema@.sparsevec);
create operator class @extschema@.bit_hamming_ops for type bit using hnsw as
  operator 1 =, function 1 @extschema@._bit_hash(bit);
create operator class @extschema@.bit_jaccard_ops for type bit using hnsw as
  operator 1 =, function 1 @extschema@._bit_hash(bit);
create operator class @extschema@.bit_hamming_ops for type bit using ivfflat as
  operator 1 =, function 1 @extschema@._bit_hash(bit);

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
