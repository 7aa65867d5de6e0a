/**
 * Finds settings that have no effect with the kind of database server that is used. A production server rejects those
 * that an operator relies on, such as backups.
 */
import type { Config, Notice } from '../../platform/config/index.ts';

interface UnusedSettings {
  readonly faults: readonly Notice[];
  readonly warnings: readonly Notice[];
}

/** @param databaseUrl the URL of the external server, or undefined with the embedded server */
export function unusedSettings({ db, plinth }: Config, databaseUrl: string | undefined): UnusedSettings {
  const { database, backup } = plinth;
  const faults: Notice[] = [];
  const warnings: Notice[] = [];
  if (databaseUrl === undefined) {
    const external = '--database-url or PLINTH_DATABASE_URL';
    if (database.replica_urls !== undefined)
      faults.push({
        key: 'database.replica_urls',
        message: `needs an external database (${external}), because the embedded database has no replicas`,
      });
    if (database.direct_url !== undefined)
      faults.push({
        key: 'database.direct_url',
        message: `needs the URL of the pooler (${external}), because the embedded database has no pooler`,
      });
    return { faults, warnings };
  }
  if (backup.to !== undefined)
    faults.push({
      key: 'backup.to',
      message:
        "needs the embedded database, because Plinth can't back up an external one. Use the server's own tools, and remove this setting",
    });
  const ignored: readonly [key: string, isSet: boolean][] = [
    ['db.settings', Object.values(db.settings).some((value) => value !== undefined)],
    ['database.replication', database.replication],
    ['database.jwt_secret_setting', database.jwt_secret_setting],
  ];
  for (const [key, isSet] of ignored)
    if (isSet)
      warnings.push({ key, message: 'has no effect with an external database. Change the server itself' });
  return { faults, warnings };
}
