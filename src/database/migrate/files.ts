/** Reads the modules' numbered SQL files: `NNNN_subject.sql`. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { MigrationSet } from '../types.ts';

export interface MigrationFile {
  readonly room: string;
  readonly version: string;
  readonly name: string;
  readonly text: string;
  /** See {@link hashOf}. */
  readonly hash: string;
}

/**
 * Returns the files in the order of the sets, sorted by number within each. Throws for an invalid file name or number.
 */
export function readMigrationFiles(sets: readonly MigrationSet[]): MigrationFile[] {
  return sets.flatMap(({ room, dir }) => {
    const names = readdirSync(dir).filter((name) => name.endsWith('.sql'));
    const files = names.sort().map((name) => {
      const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(name);
      if (match === null) throw new Error(`${room}: ${name} is not named NNNN_subject.sql`);
      const text = readFileSync(new URL(name, dir), 'utf8');
      return { room, version: match[1] as string, name: match[2] as string, text, hash: hashOf(text) };
    });
    const doubled = files.find((file, index) => file.version === files[index - 1]?.version);
    if (doubled !== undefined) throw new Error(`${room}: two files have the number ${doubled.version}`);
    return files;
  });
}

/**
 * Returns a hash that identifies the statements of a file: lines that contain only a comment don't affect it.
 *
 * @example hashOf('-- A table.\ncreate table a ();') === hashOf('create table a ();') // true
 */
export function hashOf(text: string): string {
  const statements = text.replaceAll(/^[ \t]*--.*\n/gm, '');
  return `${hashPrefix}${createHash('sha256').update(statements).digest('hex')}`;
}

/** Hashes without this prefix are from versions that hashed comments, too, so they can't be compared. */
export const hashPrefix = 'statements:';
