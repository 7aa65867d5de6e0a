/**
 * Contrib modules that `postgres` is allowed to create, as on the hosted service, although stock PostgreSQL requires a
 * superuser. Like the hosted service, Plinth intentionally excludes file_fdw, pageinspect, pg_surgery, pg_visibility
 * and xml2. Unlike the hosted service, Plinth also excludes pg_walinspect, because the WAL contains rows from every
 * table. `test/security/extension-rights.txt` lists the privileges that each extension grants to the API roles. If you
 * add a module to this list, that file changes, so review the changes before you accept them.
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

/**
 * Extensions whose own scripts grant too many or too few privileges. `extension-amendments/NAME.sql` is appended to each
 * of these scripts.
 */
export const amendedExtensions: readonly string[] = ['dblink', 'pg_prewarm', 'pgtap', 'postgres_fdw'];

/**
 * Extensions that `postgres` is allowed to create on a server that Plinth doesn't install, as on the hosted service,
 * although PostgreSQL requires a superuser for some of them.
 */
export const allowedExtensions: ReadonlySet<string> = new Set([
  ...trustedContrib,
  ...['address_standardizer', 'address_standardizer_data_us', 'http', 'hypopg', 'index_advisor', 'orioledb'],
  ...['pg_cron', 'pg_graphql', 'pg_hashids', 'pg_jsonschema', 'pg_net', 'pg_partman', 'pg_repack'],
  ...['pg_stat_monitor', 'pg_tle', 'pgaudit', 'pgjwt', 'pgmq', 'pgroonga', 'pgroonga_database', 'pgrouting'],
  ...['pgsodium', 'pgtap', 'plcoffee', 'plls', 'plpgsql_check', 'plv8', 'postgis', 'postgis_raster'],
  ...['postgis_sfcgal', 'postgis_tiger_geocoder', 'postgis_topology', 'rum', 'supabase_vault', 'timescaledb'],
  ...['vector', 'wrappers'],
]);

/** The SQL-only extensions that can run as plain SQL, as a role without superuser privileges. */
export const scriptedExtensions: readonly string[] = ['pgjwt', 'pgmq'];
