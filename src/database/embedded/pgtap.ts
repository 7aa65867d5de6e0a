/**
 * Reads pgTAP's control file and script from the npm package that ships them for PGlite. They are pure SQL, so they run
 * in any PostgreSQL. The package is optional because only a project's database tests need it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tarEntries } from './tar.ts';

export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

/** Returns an empty list if the package isn't installed. */
export function readPgtap(): readonly ExtensionFile[] {
  const archive = findArchive();
  if (archive === undefined) return [];
  const files = [...tarEntries(gunzipSync(readFileSync(archive)))].map(({ path, content }) => ({
    name: path.split('/').at(-1) ?? '',
    text: content.toString('utf8'),
  }));
  const control = files.find(({ name }) => name === 'pgtap.control');
  const version = /^\s*default_version\s*=\s*'([^']+)'/m.exec(control?.text ?? '')?.[1];
  return files.filter((file) => file === control || file.name === `pgtap--${version}.sql`);
}

function findArchive(): string | undefined {
  try {
    const main = createRequire(import.meta.url).resolve('@electric-sql/pglite-pgtap');
    return join(dirname(main), 'pgtap.tar.gz');
  } catch {
    return undefined;
  }
}
