/** Watches the functions folder, and other folders from which functions import files, for changes. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * The duration without further changes after which a change is reported. When an editor saves a file, all of its writes
 * occur within a few milliseconds.
 */
const quietMs = 25;
const ignored = /(^|[\\/])(\.git|node_modules|\.vscode|\.idea|vendor)([\\/]|$)|~$|\.sw[px]$|^\.#/;

export interface FunctionsWatch {
  /** Starts watching the folders that contain the given files. */
  add(files: readonly string[]): void;
  stop(): void;
}

/**
 * Calls `onChange` with the absolute paths of changed files, after a short period without changes. The argument of
 * `onChange` is undefined if the changed files are unknown.
 */
export function watchFunctions(
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
      }
    },
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}
