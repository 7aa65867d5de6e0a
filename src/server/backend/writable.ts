/** Checks the paths to which operators write files. */
import { resolve } from 'node:path';
import { requireWithin } from '../../base/kernel/real-path.ts';
import type { BackendParts } from './parts.ts';

/**
 * Checks that this path isn't outside the project and the allowed folders, for example because of a symbolic link,
 * because operators choose the content that is written to the path.
 * @throws {OutsideFolders}
 */
export function requireWritable({ live, projectDir, supabaseDir }: BackendParts, path: string): void {
  const allowed = live.current.plinth.files.allowed_folders.map((folder) => resolve(projectDir, folder));
  requireWithin([projectDir, supabaseDir, ...allowed], path);
}
