/**
 * Reads pgTAP's control file and script from the npm package that provides pgTAP for PGlite. pgTAP is written in pure
 * SQL, so these files work in any PostgreSQL server. The package is optional because only a project's database tests
 * need it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { packageFolder } from '../../packages/index.ts';
import { tarEntries } from './tar.ts';

export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

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
