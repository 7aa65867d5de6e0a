/**
 * Reloads functions in development. When a file is saved, the workers of all functions that use the file are stopped.
 * Functions that were running are restarted immediately, so errors are logged before the next request. The types of
 * these functions are also checked.
 */
import { dirname, join, relative, sep } from 'node:path';
import type { Catalog, FunctionSource } from './catalog.ts';
import type { Graphs } from './deno/graph.ts';
import type { Supervisor } from './supervisor.ts';
import { watchFunctions } from './watch.ts';

export interface ReloadDeps {
  readonly catalog: Catalog;
  readonly graphs: Graphs | undefined;
  readonly supervisor: Supervisor;
  readonly checkTypes: (source: FunctionSource) => void;
}

export interface Reload {
  /** Starts watching the folders that contain the given files. */
  follow(files: readonly string[]): void;
  stop(): void;
}

export function reloadOnChange({ catalog, graphs, supervisor, checkTypes }: ReloadDeps): Reload {
  const { functionsDir } = catalog;

  /** Returns the slugs of the functions that use the changed files. Returns undefined if all functions are affected. */
  function usersOf(files: ReadonlySet<string> | undefined): string[] | undefined {
    if (files === undefined) return undefined;
    const slugs = new Set(graphs?.usersOf(files));
    for (const file of files) {
      // A shared .env file affects every function.
      if (dirname(file) === functionsDir && file.startsWith(join(functionsDir, '.env'))) return undefined;
      const [folder, ...rest] = relative(functionsDir, file).split(sep);
      // A file in a function's folder affects that function. For example, the file may be a new import map, a static
      // file or a .env file.
      if (folder !== undefined && folder !== '..' && rest.length > 0) slugs.add(folder);
    }
    return [...slugs];
  }

  const watch = watchFunctions(functionsDir, (files) => {
    for (const slug of supervisor.reload(usersOf(files))) {
      const source = catalog.find(slug);
      if (source === undefined) continue;
      supervisor.warm(source);
      checkTypes(source);
    }
  });
  return {
    follow: watch.add,
    stop: watch.stop,
  };
}
