/**
 * Development: a save ends the workers of the functions that use the file, and of no other; those that ran are started
 * again at once, so that a mistake is in the log before anybody calls, and their types are checked.
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
  /** Looks at the folders of these files too, wherever they are. */
  follow(files: readonly string[]): void;
  stop(): void;
}

export function reloadOnChange({ catalog, graphs, supervisor, checkTypes }: ReloadDeps): Reload {
  const { functionsDir } = catalog;

  /** Undefined: all. */
  function usersOf(files: ReadonlySet<string> | undefined): string[] | undefined {
    if (files === undefined) return undefined;
    const slugs = new Set(graphs?.usersOf(files));
    for (const file of files) {
      // The environment of all of them.
      if (dirname(file) === functionsDir && file.startsWith(join(functionsDir, '.env'))) return undefined;
      const [folder, ...rest] = relative(functionsDir, file).split(sep);
      // Its own folder: a new import map, a static file, a .env.
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
