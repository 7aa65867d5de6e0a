/**
 * Reads pgTAP's control file and script from the npm package that provides pgTAP for PGlite, which contains them in a
 * tar archive. pgTAP is written in pure SQL, so these files work in any PostgreSQL server. The package is optional
 * because only a project's database tests need it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { packageFolder } from '../../packages/index.ts';
import type { ExtensionFile } from './extension-scripts.ts';

/** Returns pgTAP's files, or an empty list if the package isn't installed. */
export function readPgtap(): readonly ExtensionFile[] {
  const archive = pgtapArchive();
  if (archive === undefined) return [];
  const files = [...tarEntries(gunzipSync(readFileSync(archive)))].map(({ path, content }) => ({
    name: path.split('/').at(-1) ?? '',
    text: content.toString('utf8'),
  }));
  const control = files.find(({ name }) => name === 'pgtap.control');
  const version = /^\s*default_version\s*=\s*'([^']+)'/m.exec(control?.text ?? '')?.[1];
  return files.filter((file) => file === control || file.name === `pgtap--${version}.sql`);
}

/** Plinth's npm package contains the archive because it is small. */
const included = fileURLToPath(new URL('./pgtap.tar.gz', import.meta.url));

/** Returns the path to the archive, or undefined if the package isn't installed. */
export function pgtapArchive(): string | undefined {
  if (existsSync(included)) return included;
  const folder = packageFolder('server', '@electric-sql/pglite-pgtap');
  return folder === undefined ? undefined : join(folder, 'dist', 'pgtap.tar.gz');
}

interface TarEntry {
  readonly path: string;
  readonly content: Buffer;
}

const blockBytes = 512;

/**
 * Yields the regular files of an archive.
 *
 * @example [...tarEntries(gunzipSync(archive))].map(({ path }) => path); // ['share/pgtap.control']
 */
export function* tarEntries(archive: Buffer): Generator<TarEntry> {
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const sizeBytes = Number.parseInt(textOf(header, 124, 12).trim() || '0', 8);
    const start = at + blockBytes;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === '0' || type === '\0') {
      const [name, prefix] = [textOf(header, 0, 100), textOf(header, 345, 155)];
      yield {
        path: prefix === '' ? name : `${prefix}/${name}`,
        content: archive.subarray(start, start + sizeBytes),
      };
    }
    at = start + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
}

const textOf = (header: Buffer, from: number, length: number): string =>
  header
    .subarray(from, from + length)
    .toString('utf8')
    .split('\0', 1)[0] ?? '';
