/** Downloads package archives with the user's npm, whose configuration contains the registry, credentials and proxy. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { PackageError } from './errors.ts';
import { verifyTarball } from './tarball.ts';
import type { Environment, NpmPackage } from './types.ts';

interface DownloadOptions {
  readonly env: Environment;
  /** Ends npm when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads the packages into `folder` and returns the paths of their verified archives. npm runs in the working
 * directory so that it reads the project's `.npmrc`.
 *
 * @throws {PackageError} with the error message from npm
 */
export async function downloadPackages(
  packages: readonly NpmPackage[],
  folder: string,
  options: DownloadOptions,
): Promise<readonly string[]> {
  return await Promise.all(
    packages.map(async (each, index) => {
      const own = join(folder, String(index));
      mkdirSync(own, { recursive: true });
      await pack(each, own, options);
      const [name] = readdirSync(own);
      if (name === undefined) throw failed([each], 'npm pack wrote no file');
      const file = join(own, name);
      await verifyTarball(file, each);
      return file;
    }),
  );
}

async function pack(each: NpmPackage, folder: string, { env, signal }: DownloadOptions): Promise<void> {
  const npm = findNpm({ os: process.platform, execPath: process.execPath, env, exists: existsSync });
  const spec = `${each.name}@${each.version}`;
  const options = [
    `--pack-destination=${npm.shell ? JSON.stringify(folder) : folder}`,
    '--ignore-scripts',
    '--workspaces=false',
    '--dry-run=false',
    '--json=false',
    '--loglevel=error',
  ];
  const child = spawn(npm.file, [...npm.args, 'pack', spec, ...options], {
    // `npm run` sets this variable to the name of a script, and some versions of `npm pack` read the variable.
    env: { ...env, npm_config_loglevel: 'error' },
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: npm.shell,
    windowsHide: true,
    signal,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(1);
    });
    child.once('close', resolve);
  });
  signal?.throwIfAborted();
  if (status !== 0) throw failed([each], output);
}

function failed(packages: readonly NpmPackage[], output: string): PackageError {
  const list = packages.map(({ name, version }) => `${name} ${version}`).join(', ');
  const reason = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !/^A complete log of this run|^Log files were not written/.test(line))
    .slice(0, 4)
    .join('\n  ');
  const isOffline = /ENOTFOUND|EAI_AGAIN|ENOTCACHED|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/.test(output);
  return new PackageError(
    `${list} couldn't be downloaded with npm:\n  ${reason || 'npm printed no reason'}`,
    [
      isOffline
        ? 'Run "npx plinth fetch" while this machine is online. After that, Plinth starts without a network.'
        : 'npm uses the registry, proxy and certificates of your .npmrc. "npm ping" checks them.',
      'On a machine without a network, "plinth fetch --from DIR" reads the packages from a folder.',
    ],
  );
}

interface NpmCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether the command must run in a shell, which is necessary for `npm.cmd` on Windows. */
  readonly shell: boolean;
}

interface NodeInstallation {
  readonly os: string;
  readonly execPath: string;
  readonly env: Environment;
  readonly exists: (path: string) => boolean;
}

/** Returns the npm that started this process, the npm of this Node installation, or the npm in `PATH`. */
export function findNpm({ os, execPath, env, exists }: NodeInstallation): NpmCommand {
  const path = os === 'win32' ? win32 : posix;
  const folder = path.dirname(execPath);
  // Other package managers also set the variable `npm_execpath`.
  const running = env.npm_execpath;
  const scripts = [
    ...(running !== undefined && /npm-cli\.c?js$/.test(running) ? [running] : []),
    os === 'win32'
      ? path.join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')
      : path.join(folder, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  const script = scripts.find(exists);
  if (script !== undefined) return { file: execPath, args: [script], shell: false };
  return { file: 'npm', args: [], shell: os === 'win32' };
}
