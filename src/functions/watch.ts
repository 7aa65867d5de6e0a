/** Tells which files below the functions, or in other folders that they import from, changed on disk. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** An editor's writes of one save come within a few milliseconds. */
const quietMs = 25;
const ignored = /(^|[\\/])(\.git|node_modules|\.vscode|\.idea|vendor)([\\/]|$)|~$|\.sw[px]$|^\.#/;

export interface FunctionsWatch {
  /** Looks at the folders of these files too. */
  add(files: readonly string[]): void;
  stop(): void;
}

/** `onChange` hears absolute paths after a moment of quiet; undefined: something changed that cannot be named. */
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
      // No watches left on this machine: functions still run, a restart picks up changes.
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
