import { loadRest } from '../texts.ts';

/** Loads the parts of the initial pages that only some visitors need, together with their messages. */
export async function later(): Promise<typeof import('./members.ts')> {
  return (await Promise.all([import('./members.ts'), loadRest()]))[0];
}
