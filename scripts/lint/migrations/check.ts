/** Checks the names of the modules' numbered SQL files. A module with an invalid name or number stops every server. */
import { basename, dirname } from 'node:path/posix';

export interface MigrationFault {
  readonly path: string;
  readonly message: string;
}

/** Returns the faults in the paths of SQL files, which are relative to the repository. */
export function checkMigrations(paths: readonly string[]): readonly MigrationFault[] {
  const numbers = new Map<string, string>();
  return [...paths].sort().flatMap((path): MigrationFault[] => {
    const name = basename(path);
    const number = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1];
    if (number === undefined) return [{ path, message: 'The name must have the form NNNN_subject.sql.' }];
    const key = `${dirname(path)}/${number}`;
    const other = numbers.get(key);
    if (other === undefined) {
      numbers.set(key, name);
      return [];
    }
    return [
      { path, message: `${other} has the same number. Give the file that was added last the next number.` },
    ];
  });
}
