/** Determines which missing extension a statement needs, based on the object that PostgreSQL can't find. */

interface Origin {
  readonly schemas?: readonly string[];
  readonly names?: RegExp;
}

/** The names by which migrations refer to the objects of placeholder extensions. */
const origins: Readonly<Record<string, Origin>> = {
  address_standardizer: { names: /^(standardize_address|parse_address|stdaddr)$/ },
  hypopg: { names: /^hypopg/ },
  index_advisor: { names: /^index_advisor$/ },
  orioledb: { names: /^orioledb/ },
  pg_partman: { schemas: ['partman'], names: /^(create_parent|run_maintenance(_proc)?|part_config)$/ },
  pg_repack: { schemas: ['repack'] },
  pg_stat_monitor: { names: /^pg_stat_monitor/ },
  pgaudit: { names: /^pgaudit_(ddl_command_end|sql_drop)$/ },
  pgroonga: { schemas: ['pgroonga'], names: /^pgroonga|^&@|^&\^|^&`/ },
  pgrouting: { names: /^pgr_/ },
  plcoffee: { names: /^plcoffee$/ },
  plls: { names: /^plls$/ },
  plperl: { names: /^plperl$/ },
  plperlu: { names: /^plperlu$/ },
  plpgsql_check: { names: /^plpgsql_(check|show|profiler|coverage)_/ },
  plpython3u: { names: /^plpython3?u$/ },
  pltcl: { names: /^pltcl$/ },
  pltclu: { names: /^pltclu$/ },
  plv8: { names: /^(plv8|plv8_\w+)$/ },
  postgis_raster: { names: /^(raster|st_(rast\w*|mapalgebra\w*|band\w*))$/ },
  postgis_tiger_geocoder: { schemas: ['tiger', 'tiger_data'] },
  postgis_topology: { schemas: ['topology'], names: /^topogeometry$/ },
  postgis: {
    names:
      /^(geometry|geography|box2d|box3d|geometry_dump|spheroid|spatial_ref_sys|geometry_columns|geography_columns|_?st_\w+|postgis_\w+|(add|drop)geometrycolumn|updategeometrysrid|populate_geometry_columns|(gist|brin|spgist|btree)_(geometry|geography)_\w+)$/,
  },
  rum: { names: /^rum(_\w+)?$/ },
  timescaledb: {
    schemas: [
      'timescaledb_information',
      'timescaledb_experimental',
      '_timescaledb_internal',
      '_timescaledb_catalog',
    ],
    names:
      /^(timescaledb|create_hypertable|time_bucket(_gapfill)?|add_(retention|compression|continuous_aggregate|reorder|columnstore)_policy|add_dimension|set_chunk_time_interval|compress_chunk|show_chunks|drop_chunks)$/,
  },
  wrappers: { names: /(_wrapper|_fdw_handler|_fdw_validator|_fdw_meta)$/ },
};

const patterns: readonly RegExp[] = [
  /^(?:type|relation|schema|language|access method|operator class|foreign-data wrapper|role|collation|extension) "(.+?)(?:\[\])*" does not exist/,
  /^(?:function|procedure) ([^(]+)\(.*\) does not exist$/s,
  /^unrecognized parameter namespace "(.+)"$/,
  /^security label provider "(.+)" is not loaded$/,
];
const operator = /^operator does not exist: (?:.*\s)?([&<=>@~`^!|#*/%+?-]+)(?:\s.*)?$/;

/**
 * Returns the extension, or undefined if the statement failed for a different reason. Only English messages from
 * PostgreSQL are recognized.
 *
 * @example missingExtensionOf({ message: 'type "geometry" does not exist' }) // 'postgis'
 */
export function missingExtensionOf({ message }: { readonly message: string }): string | undefined {
  const unavailable = /^extension "(.+)" is not available$/.exec(message)?.[1];
  if (unavailable !== undefined) return unavailable;
  // In a hosted project, `postgres` can create foreign-data wrappers only through the wrappers extension.
  if (message.startsWith('permission denied to create foreign-data wrapper ')) return 'wrappers';
  const shown = patterns.map((pattern) => pattern.exec(message)?.[1]).find((found) => found !== undefined);
  const parts = shown?.split('.') ?? [];
  const name = (parts.at(-1) ?? operator.exec(message)?.[1])?.replaceAll('"', '');
  if (name === undefined) return undefined;
  const isSchema = message.startsWith('schema ');
  const schema = isSchema ? name : parts.at(-2);
  const found = Object.entries(origins).find(
    ([, { schemas = [], names }]) =>
      (schema !== undefined && schemas.includes(schema)) || (!isSchema && names?.test(name)),
  );
  return found?.[0];
}
