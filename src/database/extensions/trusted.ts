/**
 * Contrib modules that `postgres` may create here as on the hosted service, though stock PostgreSQL asks for a
 * superuser. Left out on purpose, as there: file_fdw, pageinspect, pg_surgery, pg_visibility, xml2.
 */
export const trustedContrib: readonly string[] = [
  'autoinc',
  'bloom',
  'dblink',
  'dict_xsyn',
  'earthdistance',
  'insert_username',
  'moddatetime',
  'pg_buffercache',
  'pg_prewarm',
  'pg_stat_statements',
  'pg_walinspect',
  'pgrowlocks',
  'pgstattuple',
  'postgres_fdw',
  'refint',
  'sslinfo',
];
