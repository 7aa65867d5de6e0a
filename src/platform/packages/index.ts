/**
 * Finds the packages that contain programs and native code (PostgreSQL, Deno, sharp, password hashing, and Node). In a
 * clone, these packages are in node_modules. Plinth's npm package doesn't depend on these packages. Instead, these
 * packages are downloaded to the user's cache when they are first needed, so projects share them and Plinth's
 * installation stays small.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PackageError } from './errors.ts';
import { packageManifest } from './manifest.ts';
import { canRunServer, minServerNode, supportedPlatform, thisPlatform } from './platform.ts';
import { cacheFolder, fillGroup, groupFolder } from './store.ts';
import type { Environment, PackageGroup, StoredGroup } from './types.ts';

export { removeAbandoned } from './abandoned.ts';
export { claim } from './claim.ts';
export { PackageError } from './errors.ts';
export { bundleHash, ownCommand, packageManifest } from './manifest.ts';
export {
  canRunServer,
  type MachinePlatform,
  minServerNode,
  supportedPlatform,
  thisPlatform,
} from './platform.ts';
export { cacheFolder } from './store.ts';
export type { Environment, PackageGroup, Platform } from './types.ts';

export const packageGroups: readonly PackageGroup[] = ['server', 'functions', 'images', 'types'];

export interface EnsureOptions {
  readonly onProgress?: (message: string) => void;
  /** A folder that contains the packages. If undefined, the packages are downloaded. */
  readonly from?: string | undefined;
  /** Ends the download when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the cache folder of the user who runs this process. */
export const userCache = (env: Environment = process.env): string =>
  cacheFolder({ os: process.platform, home: homedir(), env });

/**
 * Installs the packages of a group in the cache, unless they are already installed. Does nothing in a clone.
 *
 * @throws {PackageError} if the packages can't be downloaded or don't exist for this machine
 */
export async function ensurePackages(group: PackageGroup, options: EnsureOptions = {}): Promise<void> {
  const stored = storedGroup(group);
  if (stored === undefined) return;
  const { onProgress = () => undefined, from, signal } = options;
  await fillGroup(userCache(), stored, { env: process.env, onProgress, from, signal });
}

/**
 * Returns the folder of a package, even before it is installed. Returns undefined if a clone doesn't have the package.
 */
export function packageFolder(group: PackageGroup, name: string): string | undefined {
  const stored = storedGroup(group);
  if (stored !== undefined) return join(groupFolder(userCache(), stored), 'node_modules', name);
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}

/** Imports a package with native code. Installs its group first if necessary, and reports the progress. */
export async function importPackage<T>(
  group: PackageGroup,
  name: string,
  onProgress: (message: string) => void = () => undefined,
): Promise<T> {
  const stored = storedGroup(group);
  if (stored === undefined) return (await import(name)) as T;
  const folder = await fillGroup(userCache(), stored, { env: process.env, onProgress });
  const main = createRequire(join(folder, 'package.json')).resolve(name);
  return (await import(pathToFileURL(main).href)) as T;
}

/** Returns a group's packages for this machine, or undefined in a clone. */
function storedGroup(group: PackageGroup): StoredGroup | undefined {
  const manifest = packageManifest();
  if (manifest === undefined) return undefined;
  return { group, packages: manifest.platforms[supportedPlatform(thisPlatform())][group] };
}

/**
 * Returns the path to a Node.js binary that can run the server. If the running version of Node is too old, returns a
 * newer binary from the cache, and installs it first if necessary.
 */
export async function serverNode({
  onProgress = () => undefined,
  from,
}: EnsureOptions = {}): Promise<string> {
  if (canRunServer(process.versions.node)) return process.execPath;
  const stored = storedGroup('node');
  const [node] = stored?.packages ?? [];
  if (stored === undefined || node === undefined)
    throw new PackageError(`A clone of Plinth needs Node ${minServerNode} or newer.`, [
      'In a clone, "npm start" uses the Node in node_modules.',
    ]);
  const folder = await fillGroup(userCache(), stored, { env: process.env, onProgress, from });
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(folder, 'node_modules', node.name, 'bin', program);
}
