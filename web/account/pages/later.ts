import { loadRest } from '../texts.ts';

/** The parts of the first pages that few visitors need, and their texts. */
export async function later(): Promise<typeof import('./members.ts')> {
  return (await Promise.all([import('./members.ts'), loadRest()]))[0];
}
