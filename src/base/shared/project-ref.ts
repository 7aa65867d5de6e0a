/** The project ref, with which upstream's CLI identifies a project. */
import { createHash } from 'node:crypto';

const letters = 20;

/**
 * Returns a project's ref, which consists of 20 lowercase letters. The ref is derived from `project_id`, so a project has
 * the same ref on every machine and after a restore.
 */
export function projectRefOf(projectId: string): string {
  const digest = createHash('sha256').update(`plinth project ${projectId}`).digest();
  return [...digest.subarray(0, letters)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
