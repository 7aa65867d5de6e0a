/** Reads packages from a folder instead of a registry: archives from `npm pack`, or a `node_modules` folder. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageError } from './errors.ts';
import { extractTarball, verifyTarball } from './tarball.ts';
import type { NpmPackage } from './types.ts';

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
