/** Lists the database's extensions. They are changed by the routes in `../schema/`, like other objects. */
import { sql } from '../../../base/kernel/sql.ts';
import { extensionSource, missingSentence, placeholderVersion } from '../../../platform/database/index.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Api } from '../routes/api.ts';
import type { ExtensionRow } from './contract.ts';

/** `dataDir` is the project's data folder, which records the folders from which extensions come. */
export function extensionRoutes(api: Api, database: Database, dataDir: string): void {
  const pool = database.pool('postgres');
  const sourceOf = (name: string): string | null =>
    database.info.embedded ? extensionSource(dataDir, name) : null;
  const route = api.feature(() => import('./contract.ts'));
  route('GET /extensions', 'read', async () => {
    const [extensions, schemas] = await Promise.all([readExtensions(pool), listSchemas(pool)]);
    return { extensions: extensions.map((row) => extensionRow(row, sourceOf)), schemas };
  });
}

interface Row {
  name: string;
  comment: string | null;
  version: string | null;
  schema: string | null;
  requires: string[];
  installed_version: string | null;
  installed_schema: string | null;
}

/** plpgsql belongs to every database, and functions of the services are written in it. */
const hidden = ['plpgsql'];

const readExtensions = (db: Queryable): Promise<Row[]> =>
  db.query<Row>(sql`
    select coalesce(a.name, e.extname)::text as name,
           coalesce(a.comment, obj_description(e.oid, 'pg_extension')) as comment,
           a.default_version as version, v.schema::text as schema, coalesce(v.requires::text[], '{}') as requires,
           e.extversion as installed_version, n.nspname::text as installed_schema
    from pg_available_extensions a
    left join pg_available_extension_versions v on v.name = a.name and v.version = a.default_version
    full join pg_extension e on e.extname = a.name
    left join pg_namespace n on n.oid = e.extnamespace
    where coalesce(a.name, e.extname) <> all (${hidden}::text[])
    order by 1`);

function extensionRow(
  { installed_version, installed_schema, ...row }: Row,
  sourceOf: (name: string) => string | null,
): ExtensionRow {
  const isPlaceholder = installed_version === placeholderVersion;
  const installed =
    installed_version === null
      ? null
      : { version: installed_version, schema: installed_schema ?? '', isPlaceholder };
  return {
    ...row,
    installed,
    source: isPlaceholder ? null : sourceOf(row.name),
    advice: isPlaceholder ? missingSentence(row.name) : null,
  };
}

async function listSchemas(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select nspname::text as name from pg_namespace
    where nspname not in ('_plinth', 'information_schema') and nspname not like 'pg\\_%'
      and has_schema_privilege(oid, 'create')
    order by nspname = 'extensions' desc, nspname`);
  return rows.map(({ name }) => name);
}
