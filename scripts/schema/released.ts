/**
 * Reads and writes the descriptions of released schemas in `test/database/released/`. A description lists the released
 * SQL files and the objects that they create, each with a hash.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { MigrationFile } from '../../src/platform/database/migrate/files.ts';
import { type Fact, hashesOf } from './describe.ts';

export interface Release {
  readonly version: string;
  /** The major version of PostgreSQL that created the schema. */
  readonly major: number;
  /** The hashes of the files by name, such as `auth/0001_users`. */
  readonly files: ReadonlyMap<string, string>;
  /** The hashes of the objects by name, such as `relation auth.users`. */
  readonly objects: ReadonlyMap<string, string>;
}

export const releaseFolder = new URL('../../test/database/released/', import.meta.url);

export const nameOf = ({ module, version, name }: MigrationFile): string => `${module}/${version}_${name}`;

export function releaseOf(
  version: string,
  major: number,
  files: readonly MigrationFile[],
  facts: readonly Fact[],
): Release {
  return {
    version,
    major,
    files: new Map(files.map((file) => [nameOf(file), file.hash])),
    objects: hashesOf(facts),
  };
}

/** Returns a line per file and object: the hash, the kind and the name. */
export function printRelease({ version, major, files, objects }: Release): string {
  return [
    `# The schema of Plinth ${version} on PostgreSQL ${major}, written by scripts/release-schema.ts. Never change this file.`,
    ...[...files].map(([name, hash]) => `${hash} file ${name}`),
    ...[...objects].map(([name, hash]) => `${hash} ${name}`),
    '',
  ].join('\n');
}

/** Returns the releases in the order of their versions. */
export function readReleases(): Release[] {
  return readdirSync(releaseFolder)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => parseRelease(name, readFileSync(new URL(name, releaseFolder), 'utf8')));
}

function parseRelease(name: string, text: string): Release {
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.slice(1).map((line): [name: string, hash: string] => {
    const end = line.indexOf(' ');
    return [line.slice(end + 1), line.slice(0, end)];
  });
  const isFile = (subject: string): boolean => subject.startsWith('file ');
  return {
    version: name.replace(/\.txt$/, ''),
    major: Number(/PostgreSQL (\d+)/.exec(lines[0] ?? '')?.[1]),
    files: new Map(
      entries
        .filter(([subject]) => isFile(subject))
        .map(([subject, hash]) => [subject.slice('file '.length), hash]),
    ),
    objects: new Map(entries.filter(([subject]) => !isFile(subject))),
  };
}
