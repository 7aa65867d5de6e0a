/**
 * Stores package groups in the user's cache folder. A group's folder is complete when it exists, because it is created
 * under a temporary name and then renamed. Its name contains a hash of the exact packages, so several versions of
 * Plinth share the cache.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { claim } from './claim.ts';
import { downloadPackages } from './download.ts';
import { copyPackage } from './from-folder.ts';
import { extractTarball } from './tarball.ts';
import type { Environment, NpmPackage, PackageGroup } from './types.ts';

export interface StoredGroup {
  readonly group: PackageGroup;
  readonly packages: readonly NpmPackage[];
}

export interface FillOptions {
  readonly env: Environment;
  readonly onProgress: (message: string) => void;
  /** A folder that contains the packages. If undefined, they are downloaded. */
  readonly from?: string | undefined;
}

/** The parts of Plinth that need a group, as named in messages. */
const titles: Readonly<Record<PackageGroup, string>> = {
  server: 'PostgreSQL',
  functions: 'Deno, for server functions',
  images: 'sharp, for image transformations',
  types: 'oxfmt, for generated types',
  node: 'Node.js',
};

/** Returns the folder of a group, whether it exists or not. */
export function groupFolder(cache: string, { group, packages }: StoredGroup): string {
  const key = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12);
  return join(cache, 'packages', `${group}-${key}`);
}

/** Installs a group, unless it is already installed. Several processes can call this at the same time. */
export async function fillGroup(cache: string, stored: StoredGroup, options: FillOptions): Promise<string> {
  const folder = groupFolder(cache, stored);
  if (existsSync(folder)) return folder;
  makeCache(cache);
  await claim(
    `${folder}.claim`,
    () => existsSync(folder),
    () => install(folder, stored, options),
    () => options.onProgress(`Waiting for another process that installs ${titles[stored.group]}`),
  );
  return folder;
}

async function install(
  folder: string,
  { group, packages }: StoredGroup,
  { env, onProgress, from }: FillOptions,
): Promise<void> {
  removeAbandoned(join(folder, '..'));
  const work = `${folder}.${randomBytes(6).toString('hex')}.part`;
  const modules = join(work, 'node_modules');
  const version = packages[0]?.version ?? '';
  try {
    if (from === undefined) {
      onProgress(`Downloading ${titles[group]} ${version} (once for all projects)`);
      const archives = await downloadPackages(packages, join(work, 'archives'), env);
      await Promise.all(
        packages.map((each, index) => extractTarball(archives[index] as string, join(modules, each.name))),
      );
      rmSync(join(work, 'archives'), { recursive: true });
    } else {
      onProgress(`Copying ${titles[group]} ${version} from ${from}`);
      for (const each of packages) await copyPackage(each, from, join(modules, each.name));
    }
    for (const each of packages) allowExecution(join(modules, each.name));
    moveInto(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Archives don't always mark programs as executable, because npm does that for the programs in `bin` only. */
function allowExecution(folder: string): void {
  if (process.platform === 'win32') return;
  for (const program of [
    'deno',
    'bin/node',
    'native/bin/postgres',
    'native/bin/initdb',
    'native/bin/pg_ctl',
  ]) {
    const path = join(folder, program);
    if (existsSync(path)) chmodSync(path, 0o755);
  }
}

function moveInto(work: string, folder: string): void {
  try {
    renameSync(work, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Only the user can write to the cache, because its programs run with the user's permissions. */
function makeCache(cache: string): void {
  mkdirSync(join(cache, 'packages'), { recursive: true, mode: 0o755 });
  if (process.platform !== 'win32') chmodSync(cache, 0o755);
}

const dayMs = 24 * 3600 * 1000;

/** Removes the folders of processes that were killed while they installed a group. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (name.endsWith('.part') && stat !== undefined && Date.now() - stat.mtimeMs > dayMs)
      rmSync(path, { recursive: true, force: true });
  }
}
