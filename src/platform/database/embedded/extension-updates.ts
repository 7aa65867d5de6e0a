/** Updates extensions in a database that was created by an earlier version or on another machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../base/kernel/log.ts';
import { sql } from '../../../base/kernel/sql.ts';
import { PackageError } from '../../packages/index.ts';
import { type KnownPack, knownPacks, packFolder } from '../../packs/index.ts';
import type { Queryable } from '../types.ts';
import { ownExtensionVersions } from './extension-folder.ts';
import type { PackKeeper } from './pack-requests.ts';

/**
 * Provides the packs of the installed extensions, and updates each of Plinth's extensions to the version specified in
 * its control file. If an update fails, the extension stays at its current version, because the rest of the database
 * still works.
 */
export async function updateExtensions(
  admin: Queryable,
  packs: PackKeeper,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<void> {
  const versions = new Map(ownExtensionVersions());
  for (const { name, version } of knownPacks) versions.set(name, version);
  const installed = await admin.query<{ name: string; version: string }>(sql`
    select extname::text as name, extversion as version from pg_catalog.pg_extension
    where extname = any (${[...versions.keys()]}::text[])`);
  for (const { name, version } of installed) {
    if (!(await provide(name, packs, log, onProgress))) continue;
    if (name === 'vector' && (await convert(admin, packs, log, onProgress))) continue;
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

/** Provides the packs of the installed extensions, with which a restored database is read. */
export async function provideInstalled(admin: Queryable, packs: PackKeeper, log: Logger): Promise<void> {
  const installed = await admin.query<{ name: string }>(sql`
    select extname::text as name from pg_catalog.pg_extension
    where extname operator(pg_catalog.=) any (${knownPacks.map(({ name }) => name)}::pg_catalog.text[])`);
  for (const { name } of installed) await provide(name, packs, log, () => undefined);
}

/**
 * Downloads the pack of an installed extension if this machine doesn't have it. Returns false if the pack can't be
 * provided. The database then starts without the extension's library.
 */
async function provide(
  name: string,
  packs: PackKeeper,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<boolean> {
  const pack = packs.packOf(name);
  if (pack === undefined) return true;
  try {
    await packs.ensure(pack);
    return true;
  } catch (error) {
    log.warn({ service: 'database', error, extension: name }, 'The pack of an extension is missing');
    const advice = error instanceof PackageError ? `\n${error.advice.join('\n')}` : '';
    const effect = packs.has(pack)
      ? `An earlier version of the extension ${name} is used until then.`
      : `Statements that use the extension ${name} fail until then. The data is unchanged.`;
    onProgress(`${(error as Error).message}${advice}\n${effect}`);
    return false;
  }
}

/**
 * Converts the SQL-only `vector` of earlier versions. If that fails, the extension works as before. Returns false if the
 * database contains pgvector itself.
 */
async function convert(
  admin: Queryable,
  packs: PackKeeper,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<boolean> {
  const [{ createPendingIndexes }, { hasSqlVector }] = await Promise.all([
    import('./sql-vector/convert.ts'),
    import('./sql-vector/detect.ts'),
  ]);
  const isSqlOnly = await hasSqlVector(admin);
  const pack = packs.packOf('vector');
  // An extension in a folder that the operator named has another version.
  if (isSqlOnly && pack !== undefined) await convertWith(pack, admin, log, onProgress);
  const { unsupported, postponed } = await createPendingIndexes(admin, log);
  if (unsupported.length > 0)
    onProgress(`pgvector doesn't support these indexes, so they were dropped: ${unsupported.join(', ')}`);
  if (postponed.length > 0)
    onProgress(
      `These indexes couldn't be created. The next start tries again, and searches scan whole tables until then: ${postponed.join(', ')}`,
    );
  return isSqlOnly;
}

async function convertWith(
  pack: KnownPack,
  admin: Queryable,
  log: Logger,
  onProgress: (message: string) => void,
): Promise<void> {
  onProgress('Converting the extension vector, its columns and its indexes to pgvector');
  try {
    const { convertSqlVector } = await import('./sql-vector/convert.ts');
    const script = readFileSync(join(packFolder(pack), 'extension', `vector--${pack.version}.sql`), 'utf8');
    await convertSqlVector(admin, script, pack.version);
  } catch (error) {
    log.warn({ service: 'database', error }, 'The extension vector could not be converted');
    onProgress(
      `The extension vector couldn't be converted: ${(error as Error).message}. Its searches still scan whole tables, and nothing was changed. Drop these objects, start Plinth again and create them again.`,
    );
  }
}
