/** Tells which functions changed on disk: a file below `functions/SLUG/` means that one, anything else all of them. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { sep } from 'node:path';

const quietMs = 50;
const ignored = /(^|[\\/])(\.git|node_modules|\.vscode|\.idea|vendor)([\\/]|$)|~$|\.sw[px]$|^\.#/;

export function watchFunctions(
  functionsDir: string,
  onChange: (slugs: readonly string[] | undefined) => void,
): () => void {
  if (!existsSync(functionsDir)) return () => undefined;
  let changed: Set<string> | 'all' = new Set();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const slugs = changed;
    changed = new Set();
    onChange(slugs === 'all' ? undefined : [...slugs]);
  };
  let watcher: FSWatcher;
  try {
    watcher = watch(functionsDir, { recursive: true, persistent: false }, (_event, name) => {
      if (name !== null && ignored.test(name)) return;
      const [first, ...rest] = name === null ? [] : name.split(sep);
      if (first === undefined || rest.length === 0 || first.startsWith('_')) changed = 'all';
      else if (changed !== 'all') changed.add(first);
      clearTimeout(timer);
      timer = setTimeout(flush, quietMs);
    });
  } catch {
    // No watches left on this machine: functions still run, a restart picks up changes.
    return () => undefined;
  }
  watcher.on('error', () => watcher.close());
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
