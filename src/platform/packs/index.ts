/**
 * Installs extension packs in the user's cache. The checked list `known.json` contains the size and the SHA-256 of each
 * file that is downloaded. A pack's folder is complete whenever it exists, because it is created under a temporary name
 * and then renamed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { claim, PackageError, supportedPlatform, thisPlatform, userCache } from '../packages/index.ts';
import known from './known.json' with { type: 'json' };
import type { KnownPack } from './types.ts';

export type { KnownPack } from './types.ts';

export const knownPacks: readonly KnownPack[] = known;

export const knownPack = (name: string): KnownPack | undefined =>
  knownPacks.find((pack) => pack.name === name);

/** Returns the pack's folder in the cache, even if the pack isn't installed. */
export function packFolder(pack: KnownPack, cache: string = userCache()): string {
  const { sha256 } = wheelOf(pack);
  return join(cache, 'packs', `${pack.name}-${pack.version}-${sha256.slice(0, 12)}`);
}

export const isPackInstalled = (pack: KnownPack): boolean => existsSync(packFolder(pack));

/** Returns the wheel for this machine. @throws {PackageError} if there is none */
export const wheelOf = ({ wheels }: KnownPack) => wheels[supportedPlatform(thisPlatform())];

export interface EnsurePackOptions {
  readonly onProgress?: (message: string) => void;
  /** A folder that contains the wheel. If undefined, the wheel is downloaded. */
  readonly from?: string | undefined;
  readonly cache?: string;
}

/**
 * Installs the pack, unless it is already installed, and returns its folder. Several processes can call this function
 * at the same time.
 *
 * @throws {PackageError} if the pack can't be downloaded
 */
export async function ensurePack(pack: KnownPack, options: EnsurePackOptions = {}): Promise<string> {
  const { onProgress = () => undefined, from, cache } = options;
  const folder = packFolder(pack, cache);
  if (existsSync(folder)) return folder;
  // This module is loaded only if needed, because most starts find the pack in the cache.
  const { installPack } = await import('./install.ts');
  try {
    await claim(
      `${folder}.claim`,
      () => existsSync(folder),
      () => installPack(pack, wheelOf(pack), folder, { env: process.env, onProgress, from }),
      {
        onWait: () => onProgress(`Waiting for another process that installs the extension ${pack.name}`),
      },
    );
  } catch (error) {
    if (error instanceof PackageError) throw error;
    throw new PackageError(
      `The extension ${pack.name} couldn't be installed in ${folder}: ${(error as Error).message}`,
      ['Check the permissions and the free space of the folder, or set PLINTH_CACHE_DIR to another folder.'],
      error,
    );
  }
  return folder;
}
