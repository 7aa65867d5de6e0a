/**
 * Installs a package group by downloading or copying its packages. The group's folder gets its final name once it is
 * complete.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { downloadPackages } from './download.ts';
import { copyPackage } from './from-folder.ts';
import { extractTarball } from './tarball.ts';
import type { FillOptions, PackageGroup, StoredGroup } from './types.ts';

/** The parts of Plinth that need a package group, as named in messages. */
export const titles: Readonly<Record<PackageGroup, string>> = {
  server: 'PostgreSQL',
  functions: 'Deno, for server functions',
  images: 'sharp, for image transformations',
  types: 'oxfmt, for generated types',
  node: 'Node.js',
};

export async function install(
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

/**
 * Makes programs executable. Archives don't always mark programs as executable, because npm marks only the programs
 * that are listed in `bin`.
 */
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

const dayMs = 24 * 3600 * 1000;

/** Removes the folders that killed processes left behind while they installed a group. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (name.endsWith('.part') && stat !== undefined && Date.now() - stat.mtimeMs > dayMs)
      rmSync(path, { recursive: true, force: true });
  }
}
