import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const dayMs = 24 * 3600 * 1000;

/** Removes the folders that killed processes left behind while they installed packages. */
export function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (name.endsWith('.part') && stat !== undefined && Date.now() - stat.mtimeMs > dayMs)
      rmSync(path, { recursive: true, force: true });
  }
}
