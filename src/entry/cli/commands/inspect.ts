import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { jsonText } from '../../../base/shared/printable.ts';
import { shellEnvironment } from '../../../platform/config/index.ts';
import {
  inspect as inspectDatabase,
  isReportName,
  openOtherDatabase,
  type Report,
  type ReportName,
  reports,
} from '../../../platform/database/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { reportCsv, reportTable } from '../core/inspect-report.ts';
import { CommandError } from '../errors.ts';
import { databaseTarget } from '../history-target.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { perform } from '../remote-calls.ts';

/** Plinth's reports, by the names of the corresponding reports in upstream's CLI (`inspect db NAME`). */
export const upstreamNames: Readonly<Record<string, ReportName>> = {
  outliers: 'slow',
  calls: 'calls',
  'long-running-queries': 'running',
  blocking: 'locks',
  locks: 'locks',
  'role-stats': 'connections',
  'table-stats': 'sizes',
  bloat: 'bloat',
  'vacuum-stats': 'bloat',
  'index-stats': 'indexes',
  'table-sizes': 'sizes',
  'index-usage': 'indexes',
  'index-sizes': 'indexes',
  'unused-indexes': 'indexes',
  'seq-scans': 'sizes',
  'role-connections': 'connections',
  'cache-hit': 'cache',
  'db-stats': 'cache',
  'replication-slots': 'replication',
};

const names = Object.keys(reports).join(', ');

export const inspect: Command = {
  name: 'inspect',
  takes: '[REPORT] [NAME]',
  about:
    'Shows what the database is doing and what takes up its space. Reads only catalogs and statistics. Without a\n' +
    'report, lists the reports. The names in the upstream CLI, such as "inspect db outliers", also work. "inspect\n' +
    'report" writes all reports to CSV files.',
  options: {
    ...projectOptions,
    json: {
      type: 'boolean',
      help: 'Prints JSON with complete query texts, sizes in bytes and times in milliseconds.',
    },
    local: { type: 'boolean', help: "Inspects this project's database (default)." },
    'output-dir': {
      type: 'string',
      value: 'DIR',
      help: 'Folder for the CSV files of "inspect report". Default: the working directory.',
    },
    linked: { type: 'boolean', help: 'Inspects the database of the linked server, or the linked database.' },
    'db-url': { type: 'string', value: 'URL', help: 'Inspects another database.' },
  },
  examples: [
    ['plinth inspect slow', 'shows the statements that took the most time'],
    ['plinth inspect locks', 'shows which statements wait for locks and which hold them'],
    ['plinth inspect sizes --json', 'prints the largest tables as JSON'],
    ['plinth inspect report --output-dir reports', 'writes a CSV file for each report'],
  ],
  run: async (input) => {
    if (input.positionals.join(' ') === 'report') return await writeReports(input);
    const name = nameOf(input);
    if (name === undefined) {
      print(columns(Object.entries(reports).map(([report, { about }]) => [report, about])));
      return 0;
    }
    const report = await read(input, name);
    if (report === null)
      throw new CommandError(
        `The report "${name}" requires the pg_stat_statements extension in the extensions schema.`,
        'Add pg_stat_statements to shared_preload_libraries, restart PostgreSQL, and create the extension.',
      );
    print(input.flag('json') ? jsonText(report.rows, 2) : reportTable(report));
    if (report.rows.length === 0 && !input.flag('json')) say('Nothing to show.');
    return 0;
  },
};

/** Writes the reports to a folder named after the current date, as upstream's command does. */
async function writeReports(input: Input): Promise<number> {
  const folder = join(resolve(input.text('output-dir') ?? '.'), new Date().toISOString().slice(0, 10));
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(reports) as ReportName[]) {
    const report = await read(input, name);
    if (report === null) say(`Skipped ${name}, because it requires the pg_stat_statements extension.`);
    else writeFileSync(join(folder, `${name}.csv`), reportCsv(report));
  }
  print(`Reports saved to ${folder}`);
  return 0;
}

function nameOf({ positionals }: Input): ReportName | undefined {
  const [first, second] = positionals;
  if (first === 'db') {
    const report = upstreamNames[second ?? ''];
    if (report !== undefined) return report;
    throw new UsageError(`inspect db ${second ?? ''}: use one of ${Object.keys(upstreamNames).join(', ')}`);
  }
  if (second !== undefined) throw new UsageError(`Unexpected argument ${second}`);
  if (first === undefined || isReportName(first)) return first;
  throw new UsageError(`Unknown report "${first}". Use one of ${names}`);
}

/** Returns the report, or null if the report requires an extension that the database doesn't have. */
async function read(input: Input, name: ReportName): Promise<Report | null> {
  const location = locationOf(input);
  const target = databaseTarget(location, input);
  if (target === 'local')
    return await perform<Report | null>(location, 'inspect', { name }, { needs: 'schema', onProgress: say });
  if ('server' in target)
    return (await target.server.call<{ report: Report | null }>('readReport', { name })).report;
  const other = await openOtherDatabase(target.url, {
    password: shellEnvironment().SUPABASE_DB_PASSWORD,
    session: 'inspect',
  });
  try {
    return (await inspectDatabase(other.pool, name)) ?? null;
  } finally {
    await other.stop();
  }
}
