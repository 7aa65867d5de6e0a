/** Reads the extensions of a server that Plinth doesn't install, so that migrations can be adapted to the server. */

import { sql } from '../../base/kernel/sql.ts';
import {
  allowedExtensions,
  missingExtensions,
  ownScript,
  scriptedExtensions,
} from '../../platform/database/index.ts';
import type { Database, Queryable, Session } from '../../platform/database/types.ts';
import type { ServerExtensions } from './core/external-extension.ts';
import type { RunOptions } from './run-file.ts';

/**
 * Extensions that a project works without. The API has its own entry point for GraphQL, which reports that the extension
 * isn't enabled.
 */
const optional: ReadonlySet<string> = new Set([
  'pg_graphql',
  ...Object.entries(missingExtensions).flatMap(([name, { isOptional }]) => (isOptional ? [name] : [])),
]);

interface Row {
  readonly name: string;
  readonly isInstalled: boolean;
  readonly needsSuperuser: boolean;
}

/** `isSuperuser` specifies whether Plinth can run statements as a superuser. */
export async function readServerExtensions(db: Queryable, isSuperuser: boolean): Promise<ServerExtensions> {
  const rows = await db.query<Row>(sql`
    select e.name::text as name, e.installed_version is not null as "isInstalled",
      coalesce(bool_or(v.superuser and not v.trusted and v.version = e.default_version), false) as "needsSuperuser"
    from pg_catalog.pg_available_extensions e
    left join pg_catalog.pg_available_extension_versions v on v.name = e.name
    group by e.name, e.installed_version`);
  const provided = await db.query<{ name: string }>(sql`
    select name from (values
      ('pg_net', exists (
        select from pg_catalog.pg_proc where proname = 'http_post' and pronamespace = pg_catalog.to_regnamespace('net'))),
      ('supabase_vault', exists (
        select from pg_catalog.pg_class where relname = 'secrets' and relnamespace = pg_catalog.to_regnamespace('vault')))
    ) as made (name, is_made)
    where is_made and not exists (select from pg_catalog.pg_extension where extname = name)`);
  return {
    isSuperuser,
    available: new Map(rows.map(({ name, ...facts }) => [name, facts])),
    provided: new Set(provided.map(({ name }) => name)),
    scripts: new Map(scriptedExtensions.map((name) => [name, ownScript(name)])),
    optional,
    allowed: allowedExtensions,
  };
}

/** Returns the options with which files are adapted to the extensions of a database's server. */
export function extensionOptions(database: Database): Pick<RunOptions, 'embedded' | 'readExtensions'> {
  if (database.info.embedded) return { embedded: { missing: missingExtensions } };
  const admin = database.pool('supabase_admin');
  return {
    embedded: undefined,
    readExtensions: async (session) => {
      const [login] = await admin.query<{ isSuperuser: boolean }>(sql`
        select rolsuper as "isSuperuser" from pg_catalog.pg_roles where rolname = current_user`);
      return await readServerExtensions(session, login?.isSuperuser === true);
    },
  };
}

/** Prints which extensions are skipped. */
export function reportSkipped(session: Session, onProgress: (message: string) => void): void {
  session.onNotice(({ message }) => {
    if (/^extension ".+" is skipped: the server doesn't have it$/.test(message)) onProgress(message);
  });
}
