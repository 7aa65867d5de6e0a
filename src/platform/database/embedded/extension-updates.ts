/** Updates Plinth's own extensions in a database that was created by an earlier version. */
import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../types.ts';
import { ownExtensionVersions } from './extension-folder.ts';

/**
 * Updates each extension to the version specified in its control file. If an update fails, the extension stays at its
 * current version, because the rest of the database still works.
 */
export async function updateOwnExtensions(
  admin: Queryable,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<void> {
  const versions = ownExtensionVersions();
  const installed = await admin.query<{ name: string; version: string }>(sql`
    select extname::text as name, extversion as version from pg_catalog.pg_extension
    where extname = any (${[...versions.keys()]}::text[])`);
  for (const { name, version } of installed) {
    const current = versions.get(name);
    if (current === version) continue;
    onProgress(`Updating the extension ${name} from ${version} to ${current}`);
    try {
      await admin.query(sql`alter extension ${sql.id(name)} update`);
    } catch (error) {
      log.warn({ service: 'database', error, extension: name }, 'An extension could not be updated');
    }
  }
}
