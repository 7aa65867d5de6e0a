/** Watches the files in a folder and all folders below it. */
import { readdirSync, statSync, watch } from 'node:fs';
import path from 'node:path';

/**
 * Calls `onChange` with the path of each file that changes, relative to the folder. When the function returns, no change
 * is missed. On Linux, each folder has a watcher, because Node's recursive watcher begins to watch folders later.
 *
 * @param {string} root
 * @param {(file: string) => void} onChange
 */
export function watchTree(root, onChange) {
  if (process.platform !== 'linux')
    return watch(root, { recursive: true }, (_event, file) => {
      if (file !== null) onChange(file);
    });
  /** @type {Map<string, import('node:fs').FSWatcher>} */
  const watchers = new Map();
  function add(/** @type {string} */ folder) {
    if (watchers.has(folder)) return;
    const watcher = watch(path.join(root, folder), (_event, name) => {
      if (name === null) return;
      const file = path.join(folder, name);
      if (isFolder(path.join(root, file))) addAll(file);
      onChange(file);
    });
    watchers.set(folder, watcher);
    const remove = () => watchers.delete(folder);
    // The folder was deleted.
    watcher.once('error', remove).once('close', remove);
  }
  function addAll(/** @type {string} */ folder) {
    add(folder);
    for (const entry of readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) add(path.relative(root, path.join(entry.parentPath, entry.name)));
  }
  addAll('');
  return {
    close() {
      for (const watcher of [...watchers.values()]) watcher.close();
    },
  };
}

const isFolder = (/** @type {string} */ file) =>
  statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
