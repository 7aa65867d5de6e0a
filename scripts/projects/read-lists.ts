/** Reads the list of projects that `run.ts` starts, and the list of failures that the projects themselves cause. */
import { readFileSync } from 'node:fs';

export interface Project {
  /** The repository on GitHub, as `owner/name`. */
  readonly name: string;
  readonly commit: string;
  /** The folder in the repository that contains the folder `supabase/`. */
  readonly folder: string;
  /** The kind of project as one word, such as `starter`, `product` or `dump`. */
  readonly kind: string;
}

export interface OwnFault {
  readonly name: string;
  /**
   * The location of a statement, such as `supabase/migrations/1_init.sql:12`, or the path of a request, such as
   * `/rest/v1/notes`.
   */
  readonly place: string;
  readonly why: string;
}

/** Reads the projects. @throws {Error} if a line has too few columns */
export function readProjects(path: string | URL): Project[] {
  return readRows(path, 4).map(([name, commit, folder, kind]) => ({ name, commit, folder, kind }) as Project);
}

/** Reads the failures. @throws {Error} if a line has too few columns */
export function readOwnFaults(path: string | URL): OwnFault[] {
  return readRows(path, 3).map(([name, place, why]) => ({ name, place, why }) as OwnFault);
}

/** Columns are separated by spaces. The last column contains the rest of the line. */
function readRows(path: string | URL, columns: number): string[][] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const words = line.split(/\s+/);
      if (words.length < columns) throw new Error(`Too few columns: ${line}`);
      return [...words.slice(0, columns - 1), words.slice(columns - 1).join(' ')];
    });
}
