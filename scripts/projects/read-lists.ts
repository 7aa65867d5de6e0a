/**
 * Reads the list of projects that `run.ts` starts, and the list of failures that were found to be a project's own
 * fault.
 */
import { readFileSync } from 'node:fs';

export interface Project {
  /** `owner/name` on GitHub. */
  readonly name: string;
  readonly commit: string;
  /** The folder that contains `supabase/`, within the repository. */
  readonly folder: string;
  /** One word for the kind of project: `starter`, `product`, `dump`, … */
  readonly kind: string;
}

export interface OwnFault {
  readonly name: string;
  /** `supabase/migrations/1_init.sql:12` */
  readonly place: string;
  readonly why: string;
}

/** @throws {Error} A line has too few columns. */
export function readProjects(path: string | URL): Project[] {
  return readRows(path, 4).map(([name, commit, folder, kind]) => ({ name, commit, folder, kind }) as Project);
}

/** @throws {Error} A line has too few columns. */
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
