/** Downloads extension packs for tests, once per machine. */
import { PackageError } from '../../src/platform/packages/index.ts';
import { ensurePack, knownPack } from '../../src/platform/packs/index.ts';

/**
 * Returns undefined if the pack is in the cache, and otherwise the reason why it can't be downloaded. Tests that need
 * the pack are skipped only if no package index can be reached.
 *
 * @example describe.skipIf(await missingPack('vector'))('vector', …)
 */
export async function missingPack(name: string): Promise<string | undefined> {
  const pack = knownPack(name);
  if (pack === undefined) throw new Error(`${name} isn't a known pack`);
  try {
    await ensurePack(pack);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageError) || !/couldn't be downloaded/.test(error.message)) throw error;
    console.warn(`Skipped the tests of ${name}: ${error.message}`);
    return error.message;
  }
}
