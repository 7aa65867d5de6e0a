/** Stores backups in a folder. Each file is written under a temporary name, flushed to disk and then renamed. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { constants, copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { StoredFile, Target } from './types.ts';

/** The folder for unfinished files. If a process crashes, its unfinished files remain in this folder. */
const temporaryFolder = 'unfinished';
const batchBytes = 1024 * 1024;

export function folderTarget(root: string): Target {
  const pathOf = (name: string): string => {
    if (!/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(name) || name.split('/').includes('..'))
      throw new Error(`A backup can't contain a file with this name: ${name}`);
    return join(root, name);
  };
  const made = new Set<string>();
  const makeFolder = async (folder: string): Promise<void> => {
    if (made.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (folder !== root) await syncFolder(dirname(folder));
    made.add(folder);
  };
  /** Writes a draft, and moves it to its place. */
  const place = async <T>(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    move: (draft: string, path: string) => Promise<T>,
  ): Promise<T> => {
    const path = pathOf(name);
    const draft = join(root, temporaryFolder, randomUUID());
    try {
      await makeFolder(dirname(draft));
      await makeFolder(dirname(path));
      await writeSynced(draft, bytes);
      const moved = await move(draft, path);
      await syncFolder(dirname(path));
      return moved;
    } catch (error) {
      // The next write creates all folders again, because the target may have been remounted.
      made.clear();
      await rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
  };
  return {
    label: root,
    write: (name, bytes) => place(name, bytes, rename),
    create: (name, bytes) => place(name, Readable.from([bytes]), moveUnlessExists),
    async read(name) {
      const stream = createReadStream(pathOf(name), { highWaterMark: 256 * 1024 });
      return await once(stream, 'open').then(() => stream, undefinedIfMissing);
    },
    list: (prefix) => listFolder(root, prefix),
    remove: (name) => rm(pathOf(name), { force: true }),
    async removeUnfinished(beforeMs) {
      for await (const { name, modifiedAtMs } of listFolder(root, `${temporaryFolder}/`))
        if (modifiedAtMs < beforeMs) await rm(join(root, name), { force: true });
    },
    close: () => undefined,
  };
}

/** Moves a file unless the path exists. Returns whether the file was moved. */
async function moveUnlessExists(draft: string, path: string): Promise<boolean> {
  try {
    // Some file systems, for example exFAT, have no hard links.
    await link(draft, path).catch(() => copyFile(draft, path, constants.COPYFILE_EXCL));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    let batch: Uint8Array[] = [];
    let size = 0;
    const flush = async (): Promise<void> => {
      if (size > 0) await handle.writeFile(Buffer.concat(batch, size));
      batch = [];
      size = 0;
    };
    for await (const chunk of bytes) {
      batch.push(chunk);
      size += chunk.length;
      if (size >= batchBytes) await flush();
    }
    await flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* listFolder(root: string, prefix: string): AsyncGenerator<StoredFile> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(undefinedIfMissing);
  for (const entry of entries ?? []) {
    const name = `${folder}${entry.name}`;
    if (!name.startsWith(prefix) || name === temporaryFolder) continue;
    if (entry.isDirectory()) yield* listFolder(root, `${name}/`);
    if (!entry.isFile()) continue;
    const facts = await stat(join(root, name)).catch(undefinedIfMissing);
    if (facts !== undefined) yield { name, sizeBytes: facts.size, modifiedAtMs: facts.mtimeMs };
  }
}

async function syncFolder(path: string): Promise<void> {
  // On Windows, a folder can't be opened in order to flush it. NTFS journals renames.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
