import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { sizeText } from '../../../base/shared/printable.ts';
import {
  keyVariable,
  promoteCopy,
  type Restored,
  restoreBackup,
  restoredProjectDir,
} from '../../backup-tools.ts';
import { type Command, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { CommandError } from '../errors.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { withAbort } from '../signals.ts';

export const restore: Command = {
  name: 'restore',
  about:
    'Restores the database, the objects and the keys from a single point in time into an empty data folder. The encryption\n' +
    `key is read from the environment variable ${keyVariable} or from [backup] in supabase/plinth.toml. The project files\n` +
    'from that time are stored in restored-project/ in the data folder.',
  options: {
    workdir: projectOptions.workdir,
    'data-dir': {
      type: 'string',
      value: 'DIR',
      help: 'The new data folder. It must be empty or must not exist yet.',
    },
    from: {
      type: 'string',
      value: 'URL_OR_DIR',
      help: 'Folder, or s3://bucket/prefix?endpoint=URL&region=REGION. Default: [backup] to.',
    },
    'to-time': {
      type: 'string',
      value: 'TIME',
      help: 'Restores everything up to this time, such as 2026-05-01T12:00:00Z. Default: the newest time.',
    },
    'to-backup': { type: 'string', value: 'ID', help: 'Restores the state at the end of this base backup.' },
    promote: {
      type: 'boolean',
      help: 'The restored server replaces the original. Without this option, it sends nothing and creates no backups until you run "plinth promote".',
    },
    'allow-gap': {
      type: 'boolean',
      help: 'If WAL is missing from the backup, restores the state before the gap instead of failing.',
    },
  },
  examples: [
    ['plinth restore --data-dir .plinth-restored', 'restores the newest recoverable state as a copy'],
    ['plinth restore --promote --data-dir .plinth-restored', 'restores a server that replaces the original'],
    [
      'plinth restore --from /mnt/backups --to-time 2026-05-01T12:00:00Z --data-dir .plinth-restored',
      'restores an earlier time from another folder',
    ],
  ],
  run: async (input) => {
    const dataDir = input.text('data-dir');
    if (dataDir === undefined) throw new UsageError('--data-dir is required');
    const [toTime, toBackup] = [input.text('to-time'), input.text('to-backup')];
    if (toTime !== undefined && toBackup !== undefined)
      throw new UsageError("--to-time and --to-backup can't be used together");
    const target = resolve(dataDir);
    const restored = await withAbort((signal) =>
      restoreBackup({
        projectDir: locationOf(input).projectDir,
        from: input.text('from'),
        dataDir: target,
        toTime,
        toBackup,
        allowGap: input.flag('allow-gap'),
        promote: input.flag('promote'),
        onProgress: say,
        signal,
      }),
    );
    print(restoredText(restored, target));
    if (!input.flag('promote')) say(copyAdvice(target));
    return restored.missing.length + restored.damaged.length === 0 ? 0 : 1;
  },
};

function restoredText(restored: Restored, dataDir: string): string {
  const { backup, lastTransactionAt, objects, objectBytes, missing, damaged, durationMs } = restored;
  return [
    `Restored base backup ${backup} into ${dataDir} in ${(durationMs / 1000).toFixed(1)} s.`,
    `Last transaction: ${lastTransactionAt ?? 'none after the base backup'}`,
    `Objects: ${objects} (${sizeText(objectBytes)})`,
    ...(missing.length > 0 ? [`Object versions that aren't in the backup: ${listText(missing)}`] : []),
    ...(damaged.length > 0 ? [`Object versions that are damaged in the backup: ${listText(damaged)}`] : []),
    `Project files: ${restoredProjectDir(dataDir)}`,
  ].join('\n');
}

const copyAdvice = (dataDir: string): string =>
  `This is a copy. Its server sends no emails or webhooks, runs no jobs and creates no backups. To use it as the production\nserver, stop the original and run "plinth promote --data-dir ${dataDir}".`;

const listText = (versions: readonly string[]): string =>
  `${versions.length} (${versions.slice(0, 5).join(', ')}${versions.length > 5 ? ', …' : ''})`;

export const promote: Command = {
  name: 'promote',
  about:
    'Makes a restored copy the production server. From its next start, it sends emails and webhooks, runs jobs, and continues\n' +
    'the backups. Stop the original first. If it is still running, it stops writing to the backup target.',
  options: projectOptions,
  examples: [
    [
      'plinth promote --data-dir .plinth-restored',
      'makes the copy the production server, once the original is stopped',
    ],
  ],
  run: async (input) => {
    const { dataDir } = locationOf(input);
    if (!existsSync(dataDir)) throw new CommandError(`${dataDir} doesn't exist.`);
    const running = await findRunning(dataDir);
    const wasCopy = await promoteCopy(dataDir);
    print(wasCopy ? 'The copy is promoted.' : 'This server takes over the backup target.');
    if (running !== undefined) print('Restart the server to apply the change.');
    return 0;
  },
};
