/**
 * The project's ref, which upstream's CLI uses to select a project. It consists of 20 lowercase letters and is derived
 * from `project_id`, so it is the same after a restore and on every machine.
 */
import { createHash } from 'node:crypto';

const letters = 20;

export function projectRefOf(projectId: string): string {
  const digest = createHash('sha256').update(`plinth project ${projectId}`).digest();
  return [...digest.subarray(0, letters)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('');
}
