/**
 * Contrib modules that `postgres` may create here, as on the hosted service, although stock PostgreSQL requires a
 * superuser. As there, file_fdw, pageinspect, pg_surgery, pg_visibility and xml2 are excluded on purpose. Unlike there,
 * pg_walinspect is excluded too, because the log contains rows of every table. `test/security/extension-rights.txt`
 * lists what each extension grants to the API roles. A new module changes that file: review the change before you
 * accept it.
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

/** Extensions whose scripts get `extension-amendments/NAME.sql` appended, because the scripts grant too many rights. */
export const amendedExtensions: readonly string[] = ['dblink', 'pg_prewarm', 'pgtap'];
