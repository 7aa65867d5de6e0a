/** Reads the numbered SQL files of the modules. The file names have the form `NNNN_subject.sql`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { MigrationSet } from '../types.ts';

export interface MigrationFile {
  readonly module: string;
  readonly version: string;
  readonly name: string;
  readonly text: string;
  /** The hash of the statements. See {@link hashOf}. */
  readonly hash: string;
}

/**
 * Returns the files in the order of the sets. Within a set, the files are sorted by number, except the second file that
 * the set names. Throws an error if a file name or a number is invalid.
 */
export function readMigrationFiles(sets: readonly MigrationSet[]): MigrationFile[] {
  return sets.flatMap((set) => {
    const known = filesOf.get(set);
    if (known !== undefined) return known;
    const files = readSet(set);
    filesOf.set(set, files);
    return files;
  });
}

/** Caches the files of each set, because a start uses each set several times and the files don't change at run time. */
const filesOf = new WeakMap<MigrationSet, readonly MigrationFile[]>();

function readSet({ module, dir, second }: MigrationSet): readonly MigrationFile[] {
  const names = readdirSync(dir).filter((name) => name.endsWith('.sql'));
  const files = names.sort().map((name) => {
    const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(name);
    if (match === null) throw new Error(`${module}: the name of ${name} must have the form NNNN_subject.sql`);
    const text = readFileSync(new URL(name, dir), 'utf8');
    return { module, version: match[1] as string, name: match[2] as string, text, hash: hashOf(text) };
  });
  const doubled = files.find((file, index) => file.version === files[index - 1]?.version);
  if (doubled !== undefined) throw new Error(`${module}: two files have the number ${doubled.version}`);
  const [first, ...others] = files;
  const early = others.filter(({ version }) => version === second);
  return first === undefined ? [] : [first, ...early, ...others.filter((file) => !early.includes(file))];
}

/**
 * Returns a hash that identifies a file's statements. Lines that contain only a comment aren't hashed.
 *
 * @example hashOf('-- A table.\ncreate table a ();') === hashOf('create table a ();') // true
 */
export function hashOf(text: string): string {
  const statements = text.replaceAll(/^[ \t]*--.*\n/gm, '');
  return createHash('sha256').update(statements).digest('hex');
}
