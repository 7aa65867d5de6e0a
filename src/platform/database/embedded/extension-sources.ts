/** Returns where the extensions of the embedded PostgreSQL come from, and fetches packs before a project needs them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePack, type KnownPack, knownPack, knownPacks } from '../../packs/index.ts';
import { ensureBinaries } from './binaries.ts';
import { ownExtensionVersions } from './extension-folder.ts';

/**
 * Returns the place from which an extension comes, as shown to users.
 *
 * @param dataDir the data folder, whose last start recorded the folders that the operator named
 * @example extensionSource('/app/.plinth', 'pgmq') // 'Plinth'
 */
export function extensionSource(dataDir: string, name: string): string {
  const folder = namedSources(dataDir)[name];
  if (folder !== undefined) return folder;
  const pack = knownPack(name);
  if (pack !== undefined) return `${pack.project} ${pack.release} (PyPI)`;
  return ownExtensionVersions().has(name) ? 'Plinth' : name === 'pgtap' ? 'pgTAP' : 'PostgreSQL';
}

function namedSources(dataDir: string): Readonly<Record<string, string>> {
  const file = join(dataDir, 'extensions', 'sources.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
}

interface FetchOptions {
  readonly onProgress: (message: string) => void;
  /** A folder that contains the wheel. If undefined, the wheel is downloaded. */
  readonly from?: string | undefined;
}

/**
 * Installs packs in the user's cache, and tries them on this machine.
 *
 * @throws {PackageError} for the first pack that can't be used
 */
export async function fetchPacks(
  { onProgress, from }: FetchOptions,
  packs: readonly KnownPack[] = knownPacks,
): Promise<void> {
  const { tryPack } = await import('./pack-trial.ts');
  for (const pack of packs) {
    const folder = await ensurePack(pack, { onProgress, from });
    await ensureBinaries(onProgress);
    await tryPack(pack, folder, onProgress);
  }
}
