/**
 * Reloads functions in development. When a file is saved, the workers of all functions that use the file are stopped.
 * Functions that were running are restarted immediately, so errors are logged before the next request. The types of
 * these functions are also checked.
 */

import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Catalog, FunctionSource } from './catalog.ts';
import type { Graphs } from './deno/graph.ts';
import type { Supervisor } from './supervisor.ts';

interface ReloadDeps {
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

/**
 * The duration without further changes after which a change is reported. When an editor saves a file, all of its writes
 * occur within a few milliseconds.
 */
const quietMs = 25;
const ignored = /(^|[\\/])(\.git|node_modules|\.vscode|\.idea|vendor)([\\/]|$)|~$|\.sw[px]$|^\.#/;

interface FunctionsWatch {
  /** Starts watching the folders that contain the given files. */
  add(files: readonly string[]): void;
  stop(): void;
}

/**
 * Calls `onChange` with the absolute paths of changed files, after a short period without changes. The argument of
 * `onChange` is undefined if the changed files are unknown.
 */
function watchFunctions(
  functionsDir: string,
  onChange: (files: ReadonlySet<string> | undefined) => void,
): FunctionsWatch {
  let changed: Set<string> | undefined = new Set();
  let timer: NodeJS.Timeout | undefined;
  const watchers = new Map<string, FSWatcher>();

  const flush = (): void => {
    timer = undefined;
    const files = changed;
    changed = new Set();
    onChange(files);
  };
  const open = (folder: string, recursive: boolean): void => {
    if (watchers.has(folder) || !existsSync(folder)) return;
    try {
      const watcher = watch(folder, { recursive, persistent: false }, (_event, name) => {
        if (name !== null && ignored.test(name)) return;
        if (name === null) changed = undefined;
        else changed?.add(join(folder, name));
        clearTimeout(timer);
        timer = setTimeout(flush, quietMs);
      });
      watcher.on('error', () => watcher.close());
      watchers.set(folder, watcher);
    } catch {
      // The limit on file watches has been reached. Functions continue to run, but changes to their files require a
      // restart.
    }
  };
  open(functionsDir, true);
  return {
    add(files) {
      for (const file of files) {
        const folder = dirname(file);
        if (relative(functionsDir, folder).split(sep)[0] === '..') open(folder, false);
        // The folder may have been created after the start.
        else open(functionsDir, true);
      }
    },
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
