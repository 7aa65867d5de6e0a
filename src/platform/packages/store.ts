/**
 * Stores package groups in the user's cache folder. A group's folder is complete whenever it exists, because the folder
 * is created under a temporary name and then renamed. The folder's name contains a hash of the exact packages, so
 * several versions of Plinth share the cache.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claim } from './claim.ts';
import type { FillOptions, StoredGroup } from './types.ts';

/** Returns a group's folder, even if it doesn't exist. */
export function groupFolder(cache: string, { group, packages }: StoredGroup): string {
  const key = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12);
  return join(cache, 'packages', `${group}-${key}`);
}

/** Installs a group, unless it is already installed. Several processes can call this method at the same time. */
export async function fillGroup(cache: string, stored: StoredGroup, options: FillOptions): Promise<string> {
  const folder = groupFolder(cache, stored);
  if (existsSync(folder)) return folder;
  makeCache(cache);
  // This module is loaded only if needed, because most starts find the group in the cache.
  const { install, titles } = await import('./install.ts');
  await claim(
    `${folder}.claim`,
    () => existsSync(folder),
    () => install(folder, stored, options),
    () => options.onProgress(`Waiting for another process that installs ${titles[stored.group]}`),
  );
  return folder;
}

/** Only the user has write access to the cache, because the programs in the cache run with the user's permissions. */
function makeCache(cache: string): void {
  mkdirSync(join(cache, 'packages'), { recursive: true, mode: 0o755 });
  if (process.platform !== 'win32') chmodSync(cache, 0o755);
}
