/**
 * Installs a package group by downloading its packages, or by copying them from a folder. The group's folder gets its
 * final name once it is complete.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeAbandoned } from './abandoned.ts';
import { downloadPackages } from './download.ts';
import { PackageError } from './errors.ts';
import { extractTarball, verifyTarball } from './tarball.ts';
import type { FillOptions, NpmPackage, PackageGroup, StoredGroup } from './types.ts';

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
  { env, onProgress, from, signal }: FillOptions,
): Promise<void> {
  removeAbandoned(join(folder, '..'));
  const work = `${folder}.${randomBytes(6).toString('hex')}.part`;
  const modules = join(work, 'node_modules');
  const version = packages[0]?.version ?? '';
  try {
    if (from === undefined) {
      onProgress(`Downloading ${titles[group]} ${version} (once for all projects)`);
      const archives = await downloadPackages(packages, join(work, 'archives'), { env, signal });
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

/**
 * Copies a package from `source` to `target`. An archive must have the hash in the lock file. An installed package must
 * have the version in the lock file.
 *
 * @throws {PackageError} if the folder doesn't contain the package
 */
export async function copyPackage(each: NpmPackage, source: string, target: string): Promise<void> {
  const archive = join(source, archiveName(each));
  if (existsSync(archive)) {
    await verifyTarball(archive, each);
    await extractTarball(archive, target);
    return;
  }
  const installed = installedFolders(source).find((folder) => isVersion(join(folder, each.name), each));
  if (installed === undefined) {
    throw new PackageError(
      `${source} contains neither ${archiveName(each)} nor ${each.name} ${each.version}.`,
      [`"npm pack ${each.name}@${each.version}" on a machine with a network writes the archive.`],
    );
  }
  // Symbolic links are copied unchanged, because Node would otherwise replace their targets with absolute paths in the
  // source folder.
  cpSync(join(installed, each.name), target, {
    recursive: true,
    verbatimSymlinks: true,
  });
}

/** Returns the name of the file that `npm pack` writes for a package. */
const archiveName = ({ name, version }: NpmPackage): string =>
  `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`;

const installedFolders = (source: string): string[] => [
  source,
  ...(existsSync(join(source, 'node_modules')) ? [join(source, 'node_modules')] : []),
];

function isVersion(folder: string, { name, version }: NpmPackage): boolean {
  if (!existsSync(folder) || !readdirSync(folder).includes('package.json')) return false;
  const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return found.name === name && found.version === version;
}
