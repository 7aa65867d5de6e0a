import { loadRest } from '../texts.ts';

/** The parts of first pages that few people meet, and their words. */
export async function later(): Promise<typeof import('./members.ts')> {
  return (await Promise.all([import('./members.ts'), loadRest()]))[0];
}
