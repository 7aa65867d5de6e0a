/** Reads the list of packages with which this version of Plinth's npm package was released. */
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
