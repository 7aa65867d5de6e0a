/**
 * Extensions that projects ask for and the embedded PostgreSQL does not have, each with what to do about it.
 * `CREATE EXTENSION` of one of them fails with that one sentence instead of "control file not found", and nothing
 * is installed under its name.
 */
import { quoteLiteral } from '../../kernel/sql.ts';

const external = 'use a PostgreSQL that has it with --database-url';
const notYet =
  'it is planned; until then remove the statement, or use a PostgreSQL that has it with --database-url';

export const refusedExtensions: Readonly<Record<string, string>> = {
  address_standardizer: external,
  address_standardizer_data_us: external,
  hypopg: 'remove the statement, it only serves tuning; or use a PostgreSQL that has it with --database-url',
  index_advisor:
    'remove the statement, it only serves tuning; or use a PostgreSQL that has it with --database-url',
  orioledb: external,
  pg_graphql: notYet,
  pg_hashids: notYet,
  pg_jsonschema: notYet,
  pg_partman: external,
  pg_repack:
    'VACUUM FULL or CLUSTER do its work with a lock; or use a PostgreSQL that has it with --database-url',
  pg_stat_monitor: 'pg_stat_statements is there instead; or use a PostgreSQL that has it with --database-url',
  pg_tle:
    'put the SQL of the extension into a migration; or use a PostgreSQL that has it with --database-url',
  pgaudit: `set log_statement instead, or ${external}`,
  pgroonga: `pg_trgm and full text search are there; or ${external}`,
  pgroonga_database: `pg_trgm and full text search are there; or ${external}`,
  pgrouting: external,
  pgsodium:
    'supabase_vault keeps secrets and pgcrypto encrypts here; or use a PostgreSQL that has it with --database-url',
  pgtap: `put its SQL into a migration, or ${external}`,
  plcoffee: 'write the function in plpgsql or as an edge function',
  plls: 'write the function in plpgsql or as an edge function',
  plperl: 'write the function in plpgsql or as an edge function',
  plperlu: 'write the function in plpgsql or as an edge function',
  plpgsql_check:
    'remove the statement, it only serves development; or use a PostgreSQL that has it with --database-url',
  plpython3u: 'write the function in plpgsql or as an edge function',
  pltcl: 'write the function in plpgsql or as an edge function',
  pltclu: 'write the function in plpgsql or as an edge function',
  plv8: 'write the function in plpgsql or as an edge function',
  postgis: external,
  postgis_raster: external,
  postgis_sfcgal: external,
  postgis_tiger_geocoder: external,
  postgis_topology: external,
  rum: `a GIN index does most of its work; or ${external}`,
  timescaledb: `use ordinary partitioned tables, or ${external}`,
  wrappers: `use postgres_fdw for PostgreSQL servers, or ${external}`,
};

/** The installation script that only says so. `feature_not_supported` is what PostgreSQL says of a missing one. */
export function refusalScript(name: string): string {
  const message = `extension "${name}" is not available in the embedded PostgreSQL: ${refusedExtensions[name]}`;
  return `do $refusal$ begin raise exception using errcode = '0A000', message = ${quoteLiteral(message)}; end $refusal$;\n`;
}
