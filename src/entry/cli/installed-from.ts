/** Finds the specifier with which a package manager has installed Plinth. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedVersion } from '../../base/shared/files.ts';
import { projectSpecifier } from './core/template-manifest.ts';

/**
 * Returns the specifier for the package.json of `projectDir`. The package's parent folders contain the package.json
 * that lists Plinth: the project's own file, the file of a global installation, or the file that npx has written to its
 * cache.
 */
export function installedFrom(projectDir: string): string {
  const root = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)));
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) {
    const installed = specifierIn(folder);
    if (installed !== undefined)
      return projectSpecifier(installed, installedVersion(), (path) => {
        const target = resolve(folder, path.replace(/^~(?=\/)/, homedir()));
        return relative(projectDir, target).replaceAll('\\', '/');
      });
  }
  return installedVersion();
}

function specifierIn(folder: string): string | undefined {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return devDependencies?.plinth ?? dependencies?.plinth;
  } catch {
    return undefined;
  }
}
