/**
 * Installs older versions of Node.js, on which the tests run clients and `plinth/testing`. The versions have a separate
 * lockfile, because each of these packages installs a command named `node`, which would replace the project's own.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('.', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const manifests = ['package.json', 'package-lock.json'];

/** The test timeout for tests that may have to download the packages, about 60 MB. */
export const installTimeoutMs = 180_000;

export const olderVersions = ['22', '24'] as const;
export type OlderVersion = (typeof olderVersions)[number];

/** Whether the packages exist for this machine. */
export const hasOlderVersions = process.platform === 'linux' && process.arch === 'x64';

/** Returns the path to a version's program. Installs all versions if the lockfile has changed since the last call. */
export async function olderNode(version: OlderVersion): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
    .slice(0, 12);
  const installed = join(modules, `.plinth-node-versions-${hash}`);
  if (!existsSync(installed)) await install(installed);
  return join(installed, 'node_modules', `node-${version}`, 'bin', 'node');
}

/** Installs into a temporary folder first, because several test processes may run at the same time. */
async function install(target: string): Promise<void> {
  mkdirSync(modules, { recursive: true });
  const temporary = mkdtempSync(join(modules, '.plinth-node-versions-'));
  for (const name of manifests) copyFileSync(join(folder, name), join(temporary, name));
  const options = ['--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund', '--include=optional'];
  await run('npm', ['ci', ...options], { cwd: temporary });
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}
