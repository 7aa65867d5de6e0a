/**
 * The downgrade guard. A newer version of Plinth may have changed a database's schemas in ways that this version
 * doesn't support, so this version must not start with such a database.
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

type LedgerEntry = Pick<MigrationFile, 'module' | 'version'>;

/**
 * Throws an error if the ledger lists a file from a newer version of Plinth. The check doesn't change the database.
 *
 * @throws {DatabaseError} schema_newer
 */
export async function rejectNewerSchema(
  session: Queryable,
  files: readonly LedgerEntry[],
  database: string,
): Promise<void> {
  const newer = newerFiles(await readableLedger(session), files);
  if (newer[0] === undefined) return;
  throw new DatabaseError('schema_newer', { database, file: newer[0], count: newer.length });
}

/**
 * Returns the applied files whose number is above the module's highest number in this version, and all applied files of
 * unknown modules.
 *
 * @example newerFiles(['auth/0099'], [{ module: 'auth', version: '0012' }]); // ['auth/0099']
 */
export function newerFiles(applied: Iterable<string>, files: readonly LedgerEntry[]): string[] {
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

/** Returns an empty list if the account can't read the ledger, because such an account doesn't apply files either. */
async function readableLedger(session: Queryable): Promise<Iterable<string>> {
  try {
    return (await readLedger(session)).keys();
  } catch (error) {
    if ((error as PostgresErrorShape).code === '42501') return [];
    throw error;
  }
}
