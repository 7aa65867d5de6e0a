/** Packs the files of a folder into one content, and unpacks them. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isWithin } from '../../base/kernel/real-path.ts';
import { syncFolder } from '../../base/kernel/replace-file.ts';

/** The first line of the unpacked content. The files' bytes follow in the same order. */
type Header = readonly { readonly path: string; readonly bytes: number }[];

/** The maximum size of an unpacked folder. */
const maxBytes = 256 * 1024 * 1024;

export async function packFolder(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: { readonly path: string; readonly content: Buffer }[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1).replaceAll('\\', '/');
    files.push({ path, content: await readFile(file) });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const header: Header = files.map(({ path, content }) => ({ path, bytes: content.length }));
  const parts = [Buffer.from(`${JSON.stringify(header)}\n`), ...files.map(({ content }) => content)];
  return await promisify(deflateRaw)(Buffer.concat(parts));
}

/** Creates the folder with the packed files. A crash leaves either no folder or a complete one. */
export async function unpackFolder(packed: Buffer, folder: string): Promise<void> {
  const content = await promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)(packed, {
    maxOutputLength: maxBytes,
  });
  const end = content.indexOf('\n');
  const header = JSON.parse(content.toString('utf8', 0, end)) as Header;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const temporary = `${folder}.${randomUUID()}.tmp`;
  try {
    await mkdir(temporary, { mode: 0o700 });
    const folders = new Set([temporary]);
    let offset = end + 1;
    for (const { path, bytes } of header) {
      const file = join(temporary, path);
      if (!isWithin(temporary, file)) throw new Error(`The path ${path} leaves its folder.`);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      folders.add(dirname(file));
      const handle = await open(file, 'wx', 0o600);
      try {
        await handle.writeFile(content.subarray(offset, offset + bytes));
        await handle.sync();
      } finally {
        await handle.close();
      }
      offset += bytes;
    }
    for (const each of folders) syncFolder(each);
    await rename(temporary, folder);
    syncFolder(dirname(folder));
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
}
