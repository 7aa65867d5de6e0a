import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { jsonText, sizeText } from '../../../base/shared/printable.ts';
import {
  type BackupEntry,
  listStoredBackups,
  type VerificationReport,
  verifyBackup,
} from '../../backup-tools.ts';
import { type Command, projectOptions } from '../command.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { perform } from '../remote-calls.ts';
import { withAbort } from '../signals.ts';

const json = { type: 'boolean', help: 'Prints JSON.' } as const;

export const backup: Command = {
  name: 'backup',
  about:
    'Creates a base backup of the database, the objects, supabase/ and the keys. The target and the encryption key\n' +
    'are in [backup] in supabase/plinth.toml. If Plinth is running, that process creates the backup.',
  options: projectOptions,
  examples: [
    ['plinth backup', 'creates a base backup'],
    ['plinth backup list', 'lists the base backups'],
    ['plinth backup verify', 'restores the latest state into a temporary folder and checks it'],
    ['plinth backup prune', 'removes files that are no longer needed for the retention window'],
  ],
  run: async (input) => {
    const entry = await perform<BackupEntry>(
      locationOf(input),
      'backupRun',
      {},
      { needs: 'database', onProgress: say },
    );
    print(`Base backup ${entry.id}: ${sizeText(entry.sizeBytes)}, ${sizeText(entry.storedBytes)} stored.`);
    return 0;
  },
};

export const backupList: Command = {
  name: 'backup list',
  about: 'Lists the base backups and the times that can be restored with each.',
  options: { ...projectOptions, json },
  examples: [['plinth backup list --json', 'prints the backups as JSON, for monitoring']],
  run: async (input) => {
    const entries = await listStoredBackups(locationOf(input));
    if (input.flag('json')) print(jsonText(entries.map(asJson), 2));
    else if (entries.length === 0) print('No base backups exist.');
    else {
      const rows = entries.map((entry) => [
        entry.id,
        timeText(entry.startedAtMs),
        sizeText(entry.storedBytes),
        timeText(entry.endedAtMs),
        timeText(entry.newestMs),
      ]);
      print(columns([['ID', 'Started', 'Size', 'Oldest recoverable', 'Newest recoverable'], ...rows]));
    }
    return 0;
  },
};

export const backupPrune: Command = {
  name: 'backup prune',
  about:
    "Removes base backups, WAL and objects that aren't needed to restore any point in the retention window ([backup] keep).",
  options: projectOptions,
  examples: [
    ['plinth backup prune', 'removes expired files, as the server does after each scheduled base backup'],
  ],
  run: async (input) => {
    const report = await perform<Record<'kept' | 'backups' | 'wal' | 'bodies' | 'snapshots', number>>(
      locationOf(input),
      'backupPrune',
      {},
      { needs: 'database', onProgress: say },
    );
    print(
      `Removed ${report.backups} base backups, ${report.wal} WAL files, ${report.bodies} object versions and ` +
        `${report.snapshots} snapshots. Kept ${report.kept} base backups.`,
    );
    return 0;
  },
};

export const backupVerify: Command = {
  name: 'backup verify',
  takes: '[ID]',
  about:
    'Restores a backup into a temporary folder beside the running server, reads every table, and compares every object\n' +
    'with its row. Without an ID, or with "latest", restores the newest recoverable state. The exit status is 1 if there\n' +
    'is a problem.',
  options: {
    ...projectOptions,
    'work-dir': {
      type: 'string',
      value: 'DIR',
      help: 'Folder for the temporary copy. Default: the system temporary folder.',
    },
    json,
  },
  examples: [
    ['plinth backup verify', 'checks that the latest state can be restored'],
    ['plinth backup verify 20260501T030000Z-3fa2c1', 'checks a specific base backup'],
  ],
  run: async (input) => {
    const [id] = input.positionals;
    const report = await withAbort((signal) =>
      verifyBackup({
        ...locationOf(input),
        toBackup: id === 'latest' ? undefined : id,
        workDir: resolve(input.text('work-dir') ?? tmpdir()),
        onProgress: say,
        signal,
      }),
    );
    print(input.flag('json') ? jsonText(report, 2) : reportText(report));
    return report.problems.length === 0 ? 0 : 1;
  },
};

const asJson = ({ startedAtMs, endedAtMs, newestMs, ...entry }: BackupEntry) => ({
  ...entry,
  started_at: timeText(startedAtMs),
  oldest_recoverable: timeText(endedAtMs),
  newest_recoverable: timeText(newestMs),
});

const reportText = (report: VerificationReport): string =>
  [
    `Base backup ${report.backup}`,
    `  ${report.tables} tables with ${report.rows} rows, ${report.objects} objects (${sizeText(report.objectBytes)})`,
    `  Database restored in ${secondsText(report.databaseMs)}, checked in ${secondsText(report.checkMs)}`,
    `  Last transaction: ${report.lastTransactionAt ?? 'none after the base backup'}`,
    `  Time since the latest recovery point: ${secondsText(report.newestAgeMs)}`,
    ...report.problems.map((problem) => `  PROBLEM ${problem}`),
    report.problems.length === 0 ? '  No problems' : `  ${report.problems.length} problems`,
  ].join('\n');

const timeText = (timeMs: number): string => new Date(timeMs).toISOString();
const secondsText = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
