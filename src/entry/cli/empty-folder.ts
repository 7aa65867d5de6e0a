import { readdirSync } from 'node:fs';

/** Whether the folder is empty or contains only hidden files of other programs, such as `.git`. */
export function isEmptyFolder(dir: string): boolean {
  try {
    return readdirSync(dir).every((name) => name.startsWith('.') && name !== '.plinth');
  } catch {
    return false;
  }
}
