-- Every role can set these parameters of pgvector and pg_trgm in its session. CREATE FUNCTION ... SET, ALTER ROLE and ALTER
-- DATABASE also accept them after the session has loaded the extension's library. In other sessions, PostgreSQL doesn't
-- know yet who can set the parameters, so these statements need a privilege.
do $$
declare
  parameter text;
begin
  foreach parameter in array array[
    'hnsw.ef_search', 'hnsw.iterative_scan', 'hnsw.max_scan_tuples', 'hnsw.scan_mem_multiplier', 'ivfflat.probes',
    'ivfflat.iterative_scan', 'ivfflat.max_probes', 'pg_trgm.similarity_threshold',
    'pg_trgm.word_similarity_threshold', 'pg_trgm.strict_word_similarity_threshold'
  ] loop
    perform _plinth.attempt(format('grant set on parameter %I to postgres', parameter));
  end loop;
end
$$;
