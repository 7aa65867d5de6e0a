/** Extracts an extension pack from a wheel, which is a ZIP archive. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import { PackageError } from '../packages/index.ts';
import type { KnownPack, Wheel } from './types.ts';

/** The largest file that is extracted. */
const maxFileBytes = 64 * 1024 ** 2;
const fileTypeMask = 0o170000;
const regularFile = 0o100000;

/**
 * Writes the extension's files to `folder`. The names of the written files are derived from the checked list, so a path
 * in the archive can't lead outside the folder.
 *
 * @throws {PackageError} if a file is missing
 */
export async function extractPack(
  path: string,
  folder: string,
  pack: KnownPack,
  wheel: Wheel,
): Promise<void> {
  for (const part of ['extension', 'lib', 'licenses']) mkdirSync(join(folder, part), { recursive: true });
  const written = new Set<string>();
  const archive = await open(path);
  try {
    for await (const entry of entriesOf(archive)) {
      const target = targetOf(entry.fileName, pack, wheel);
      if (target === undefined || !isRegular(entry) || entry.uncompressedSize > maxFileBytes) continue;
      await pipeline(await read(archive, entry), createWriteStream(join(folder, target), { mode: 0o644 }));
      written.add(target);
    }
  } finally {
    archive.close();
  }
  const library = targetOf(wheel.library, pack, wheel) ?? '';
  const control = join('extension', `${pack.name}.control`);
  const script = join('extension', `${pack.name}--${pack.version}.sql`);
  const missing = [library, control, script].filter((name) => !written.has(name));
  if (missing.length > 0)
    throw new PackageError(`${wheel.file} doesn't contain ${missing.join(' and ')}.`, [
      'Report this as a bug of Plinth.',
    ]);
}

/** Returns the path in the pack's folder. Returns undefined for files that don't belong to the extension. */
function targetOf(name: string, pack: KnownPack, wheel: Wheel): string | undefined {
  if (name === wheel.library) return join('lib', name.slice(name.lastIndexOf('/') + 1));
  for (const [folder, part] of [
    [pack.scripts, 'extension'],
    [pack.licenses, 'licenses'],
  ] as const) {
    const file = name.startsWith(folder) ? name.slice(folder.length) : '';
    const isWanted =
      part === 'licenses'
        ? /^[A-Za-z][\w.-]*$/.test(file)
        : /^[\w-]+(--[\w.-]+\.sql|\.control)$/.test(file) && file.split(/--|\.control$/, 1)[0] === pack.name;
    if (isWanted) return join(part, file);
  }
  return undefined;
}

/** Whether the entry is a file. Archives from Windows don't contain a file type. */
function isRegular({ externalFileAttributes, fileName }: Entry): boolean {
  const type = (externalFileAttributes >>> 16) & fileTypeMask;
  return (type === regularFile || type === 0) && !fileName.endsWith('/');
}

async function open(path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl');
  return await new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, autoClose: false }, (error, archive) =>
      error ? reject(error) : resolve(archive),
    );
  });
}

async function* entriesOf(archive: ZipFile): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      archive.once('entry', resolve);
      archive.once('end', () => resolve(undefined));
      archive.once('error', reject);
      archive.readEntry();
    });
    archive.removeAllListeners();
    if (entry === undefined) return;
    yield entry;
  }
}

const read = (archive: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
