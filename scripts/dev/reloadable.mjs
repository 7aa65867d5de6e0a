/**
 * Makes the modules of a folder loadable again in the same process. A module that has changed, and every module that
 * imports it directly or indirectly, gets a new address. The others stay in memory.
 */
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Imports that follow a call of `invalidate` load the changed modules. Only modules are replaced, so a module of the
 * folder must not read other files of the folder while it is loaded.
 *
 * @param {string} folder
 */
export function reloadable(folder) {
  const prefix = `${pathToFileURL(folder)}/`;
  /** The modules that import each module. @type {Map<string, Set<string>>} */
  const importers = new Map();
  /** How often each module was invalidated. @type {Map<string, number>} */
  const versions = new Map();

  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!resolved.url.startsWith(prefix)) return resolved;
      const url = withoutVersion(resolved.url);
      const from = importers.get(url) ?? new Set();
      importers.set(url, from);
      if (context.parentURL !== undefined) from.add(withoutVersion(context.parentURL));
      const version = versions.get(url);
      return version === undefined ? resolved : { ...resolved, url: `${url}?version=${version}` };
    },
  });

  return {
    /** @param {readonly string[]} files The paths of the changed files, relative to the folder */
    invalidate(files) {
      const affected = new Set(files.map((file) => pathToFileURL(path.join(folder, file)).href));
      // A set also visits the elements that are added in the loop.
      for (const url of affected) for (const importer of importers.get(url) ?? []) affected.add(importer);
      for (const url of affected) versions.set(url, (versions.get(url) ?? 0) + 1);
    },
  };
}

const withoutVersion = (/** @type {string} */ url) => url.split('?')[0] ?? url;
