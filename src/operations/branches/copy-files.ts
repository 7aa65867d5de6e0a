/** Copies the files of a project: its folder `supabase/`, deployed functions and objects. */
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files and folders of `supabase/` that a branch doesn't get: installed and generated files, and the environment files of
 * functions, whose secrets belong to other services.
 */
const skipped = /^(node_modules|\.git|\.temp|\.branches|\.env.*)$/;

export const copyProject = (from: string, to: string): Promise<void> =>
  copyTree(from, to, { skips: (name) => skipped.test(name), copy: copyBlocks });

export const copyDeployed = (from: string, to: string): Promise<void> =>
  copyTree(from, to, { skips: () => false, copy: copyBlocks });

/**
 * Copies the object bodies. The storage service never changes the file of a body, but only creates and removes files, so
 * a hard link is safe: both names lead to the same bytes, and each server removes only its own name.
 */
export const shareBodies = (from: string, to: string): Promise<void> =>
  copyTree(from, to, { skips: () => false, copy: linkOrCopy });

interface Copying {
  readonly skips: (name: string) => boolean;
  readonly copy: (from: string, to: string) => Promise<void>;
}

/** Copies regular files. Symbolic links are skipped, because they could lead out of the project. */
async function copyTree(from: string, to: string, copying: Copying): Promise<void> {
  const entries = await entriesOf(from);
  if (entries === undefined) return;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of entries) {
    if (copying.skips(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target, copying);
    else if (entry.isFile()) await unlessMissing(copying.copy(source, target));
  }
}

const entriesOf = (folder: string) => unlessMissing(readdir(folder, { withFileTypes: true }));

const copyBlocks = (from: string, to: string): Promise<void> =>
  copyFile(from, to, constants.COPYFILE_FICLONE);

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // The file system has no hard links, or the file has the maximum number of them.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV'].includes(codeOf(error) ?? '')) throw error;
    await copyBlocks(from, to);
  }
}

/** Returns undefined if the file or folder doesn't exist, for example because its object was just deleted. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
