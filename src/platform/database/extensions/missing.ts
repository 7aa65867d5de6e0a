/**
 * Lists extensions that hosted projects use but the embedded PostgreSQL doesn't include, with advice for each. For
 * these extensions, `CREATE EXTENSION` creates a placeholder, which is a row in pg_extension without any objects. A
 * migration that runs `CREATE EXTENSION` therefore succeeds if no other statement in the migration uses the extension.
 * A placeholder can be dropped, moved and commented on like any other extension, but `pg_available_extensions` doesn't
 * list it.
 */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';

export interface MissingExtension {
  /**
   * Whether a project works the same without the extension. Examples of such extensions are those for tuning,
   * monitoring, dumps and development.
   */
  readonly isOptional: boolean;
  /** Advice for projects that need the extension, as the end of a sentence (see {@link missingSentence}). */
  readonly advice: string;
  /** The schema that the original extension requires. */
  readonly schema?: string;
}

const otherServer = 'use a PostgreSQL server that has it with --database-url';
const external = `name a PostgreSQL 18 installation that has it in [database] extension_folders, or ${otherServer}`;
const inPlpgsql = 'write the function in plpgsql or as an edge function';
const otherLanguage = `${inPlpgsql}, or ${external}`;
/** For languages that `postgres` may not create, so a folder can't provide them either. */
const excludedLanguage = `${inPlpgsql}, or ${otherServer}`;

const optional = (advice: string = external): MissingExtension => ({ isOptional: true, advice });
const needed = (advice: string = external, schema?: string): MissingExtension => ({
  isOptional: false,
  advice,
  ...(schema === undefined ? {} : { schema }),
});

/** Advice for an extension that isn't listed, such as one from database.dev. */
const unlisted = `put its SQL into a migration, or into the first file of supabase/tests if only tests need it, or ${otherServer}`;

export const missingExtensions: Readonly<Record<string, MissingExtension>> = {
  address_standardizer: needed(),
  address_standardizer_data_us: needed(),
  bool_plperl: needed(excludedLanguage),
  bool_plperlu: needed(excludedLanguage),
  hstore_plperl: needed(excludedLanguage),
  hstore_plperlu: needed(excludedLanguage),
  hstore_plpython3u: needed(excludedLanguage),
  hypopg: optional(),
  index_advisor: optional(),
  jsonb_plperl: needed(excludedLanguage),
  jsonb_plperlu: needed(excludedLanguage),
  jsonb_plpython3u: needed(excludedLanguage),
  ltree_plpython3u: needed(excludedLanguage),
  orioledb: needed(),
  pg_partman: needed(),
  pg_repack: optional(`use VACUUM FULL or CLUSTER, which lock the table, or ${external}`),
  pg_stat_monitor: optional(`use pg_stat_statements instead, or ${external}`),
  pgaudit: optional(`set log_statement instead, or ${external}`),
  pgroonga: needed(`use pg_trgm or full text search instead, or ${external}`),
  pgroonga_database: needed(`use pg_trgm or full text search instead, or ${external}`),
  pgrouting: needed(),
  plcoffee: needed(otherLanguage),
  plls: needed(otherLanguage),
  plperl: needed(excludedLanguage),
  plperlu: needed(excludedLanguage),
  plpgsql_check: optional(),
  plpython3u: needed(excludedLanguage),
  pltcl: needed(excludedLanguage),
  pltclu: needed(excludedLanguage),
  plv8: needed(otherLanguage),
  postgis: needed(),
  postgis_raster: needed(),
  postgis_sfcgal: needed(),
  postgis_tiger_geocoder: needed(external, 'tiger'),
  postgis_topology: needed(external, 'topology'),
  rum: needed(`use a GIN index, which covers most uses, or ${external}`),
  timescaledb: needed(`use ordinary partitioned tables, or ${external}`),
  wrappers: needed(`use postgres_fdw for PostgreSQL servers, or ${external}`),
};

/**
 * The version of all placeholders. `pg_available_extensions` recognizes placeholders by this version
 * (sql/0006_system_views.sql).
 */
export const placeholderVersion = 'placeholder';

/**
 * Plinth's own extensions that were placeholders in earlier versions, with the schema that the extension requires, if any.
 * They can be updated from version `placeholder`.
 */
export const formerPlaceholders: Readonly<Record<string, string | null>> = {
  pg_graphql: 'graphql',
  pg_hashids: null,
  pg_jsonschema: null,
  pg_tle: 'pgtle',
  pgsodium: 'pgsodium',
};

/**
 * Returns the script that updates a former placeholder. A placeholder could be created in any schema, so if the extension
 * requires a schema, the script also corrects the schema of the extension, because dumps contain it.
 */
export function placeholderUpdate(name: string, schema: string | null, script: string): string {
  if (schema === null) return script;
  return `do $placeholder$
begin
  if to_regnamespace(${quoteLiteral(quoteIdentifier(schema))}) is null then
    create schema ${quoteIdentifier(schema)};
  end if;
end
$placeholder$;
${script}
update pg_catalog.pg_depend set refobjid = ${quoteLiteral(schema)}::regnamespace
where classid = 'pg_extension'::regclass and refclassid = 'pg_namespace'::regclass
  and objid = (select oid from pg_catalog.pg_extension where extname = ${quoteLiteral(name)});
update pg_catalog.pg_extension set extnamespace = ${quoteLiteral(schema)}::regnamespace
where extname = ${quoteLiteral(name)};
`;
}

/**
 * Returns the sentence that is shown to users if an extension isn't available.
 *
 * @example missingSentence('postgis') // 'the embedded PostgreSQL doesn't have the extension "postgis": use a …'
 */
export function missingSentence(name: string): string {
  return `the embedded PostgreSQL doesn't have the extension "${name}": ${missingExtensions[name]?.advice ?? unlisted}`;
}

/**
 * Returns a control file and a script that creates no objects and reports that the extension isn't available. The
 * script runs as a superuser. If it didn't, the role that creates the extension would need CREATE on the database.
 */
export function placeholderFiles(name: string): { readonly control: string; readonly script: string } {
  const outcome = missingExtensions[name]?.isOptional
    ? `extension "${name}" is skipped: the embedded PostgreSQL doesn't have it, and only tuning, monitoring and development need it`
    : `extension "${name}" is only a placeholder: ${missingSentence(name)}`;
  return {
    control: `comment = 'placeholder: the embedded PostgreSQL does not have this extension'
default_version = '${placeholderVersion}'
relocatable = true
trusted = true
`,
    script: `do $placeholder$ begin raise notice using message = ${quoteLiteral(outcome)}; end $placeholder$;\n`,
  };
}
