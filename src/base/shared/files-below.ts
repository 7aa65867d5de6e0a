import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the paths of all regular files in a folder and its subfolders, sorted. Symbolic links aren't followed. A
 * recursive `readdir` would follow symbolic links, and repeat files if a link leads back to a parent folder.
 */
export function filesBelow(folder: string): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (let current = folders.pop(); current !== undefined; current = folders.pop())
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  return files.sort();
}
