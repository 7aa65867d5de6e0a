/**
 * Rejects databases of other versions of Plinth. A newer version may have changed a database's schemas in ways that
 * this version doesn't support. A database whose ledger lists a file that isn't the released one was created by an
 * unreleased version, and no file changes its schemas into those of a release.
 */
import { DatabaseError } from '../errors.ts';
import type { PostgresErrorShape, Queryable } from '../types.ts';
import type { MigrationFile } from './files.ts';
import { readLedger } from './runner.ts';

/**
 * The module name that is recorded for SQL-only extensions, which are applied as files. Only some databases have these
 * extensions as files.
 */
const optionalModule = 'extensions';

type KnownFile = Pick<MigrationFile, 'module' | 'version' | 'hash'>;

/**
 * Throws an error if the ledger lists a file that this version doesn't have. The check doesn't change the database.
 *
 * @throws {DatabaseError} schema_unreleased, schema_newer
 */
export async function rejectOtherVersions(
  session: Queryable,
  files: readonly KnownFile[],
  database: string,
): Promise<void> {
  const ledger = await readableLedger(session);
  const [unreleased] = unreleasedFiles(ledger, files);
  if (unreleased !== undefined) throw new DatabaseError('schema_unreleased', { database, file: unreleased });
  const newer = newerFiles(ledger.keys(), files);
  if (newer[0] === undefined) return;
  throw new DatabaseError('schema_newer', { database, file: newer[0], count: newer.length });
}

/**
 * Returns the applied files that differ from this version's file with the same number. Released files never change.
 *
 * @example unreleasedFiles(new Map([['auth/0001', 'a']]), [{ module: 'auth', version: '0001', hash: 'b' }]); // ['auth/0001']
 */
export function unreleasedFiles(applied: ReadonlyMap<string, string>, files: readonly KnownFile[]): string[] {
  return files
    .map(({ module, version, hash }) => ({ key: `${module}/${version}`, hash }))
    .filter(({ key, hash }) => applied.has(key) && applied.get(key) !== hash)
    .map(({ key }) => key);
}

/**
 * Returns the applied files whose number is above the module's highest number in this version, and all applied files of
 * unknown modules.
 *
 * @example newerFiles(['auth/0099'], [{ module: 'auth', version: '0012' }]); // ['auth/0099']
 */
export function newerFiles(
  applied: Iterable<string>,
  files: readonly Pick<KnownFile, 'module' | 'version'>[],
): string[] {
  const highest = new Map<string, string>();
  for (const { module, version } of files) {
    if (version > (highest.get(module) ?? '')) highest.set(module, version);
  }
  return [...applied]
    .filter((key) => {
      const [module = '', version = ''] = key.split('/');
      const known = highest.get(module);
      return known === undefined ? module !== optionalModule : version > known;
    })
    .sort();
}

/** Returns an empty map if the account can't read the ledger, because such an account doesn't apply files either. */
async function readableLedger(session: Queryable): Promise<ReadonlyMap<string, string>> {
  try {
    return await readLedger(session);
  } catch (error) {
    if ((error as PostgresErrorShape).code === '42501') return new Map();
    throw error;
  }
}
