/** Reads the list of packages with which this version of Plinth was released, which distinguishes it from a clone. */
import { readFileSync } from 'node:fs';
import type { PackageManifest } from './types.ts';

const file = new URL('../../../runtime-packages.json', import.meta.url);

let manifest: PackageManifest | null | undefined;

/** Returns the list. Undefined in a clone, where npm installs the packages with all other dependencies. */
export function packageManifest(): PackageManifest | undefined {
  manifest ??= read();
  return manifest ?? undefined;
}

function read(): PackageManifest | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PackageManifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The hash of the TypeScript sources, which scripts/build-server.mjs inserts into the bundle. */
declare const __PLINTH_SOURCES__: string | undefined;

/**
 * Returns the hash of the bundle's sources. Returns undefined in the npm package, and if Plinth runs from its source
 * files.
 */
export const bundleHash = (): string | undefined =>
  packageManifest() === undefined && typeof __PLINTH_SOURCES__ === 'string' ? __PLINTH_SOURCES__ : undefined;

/** Returns the command line that runs Plinth, without arguments. A clone isn't installed, so npx can't run it. */
export const ownCommand = (): string =>
  packageManifest() === undefined ? 'npm run -s plinth --' : 'npx plinth';
