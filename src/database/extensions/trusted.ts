/**
 * Contrib modules that `postgres` may create here as on the hosted service, though stock PostgreSQL asks for a
 * superuser. Left out on purpose, as there: file_fdw, pageinspect, pg_surgery, pg_visibility, xml2. Left out unlike there:
 * pg_walinspect, since the log holds rows of every table. What each gives to the API roles is listed in
 * `test/security/extension-rights.txt`, which a new one changes: read it before you accept that.
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
  'pgrowlocks',
  'pgstattuple',
  'postgres_fdw',
  'refint',
  'sslinfo',
];

/** Extensions to whose scripts `extension-amendments/NAME.sql` is appended: rights that their own scripts give too freely. */
export const amendedExtensions: readonly string[] = ['dblink', 'pg_prewarm', 'pgtap'];
