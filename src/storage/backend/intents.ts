/**
 * The file backend's intents: one small file each, holding versions line by line. They need no fsync of their own:
 * after a power cut a lost intent can leave bytes without a row, never a row without bytes.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVersion } from './file-paths.ts';
import type { Intent } from './types.ts';

export interface IntentLog {
  open(versions: readonly string[]): Promise<Intent>;
  /** Intents written before this process started, with their versions. */
  leftOver(): AsyncIterable<{ readonly versions: readonly string[]; close(): Promise<void> }>;
}

export function createIntentLog(directory: string, remove: (version: string) => Promise<void>): IntentLog {
  const ours = new Set<string>();

  return {
    async open(versions) {
      const name = randomUUID();
      const path = join(directory, name);
      ours.add(name);
      await writeFile(path, lines(versions));
      return {
        async giveUp(more) {
          const known = more.filter(isVersion);
          if (known.length > 0) await appendFile(path, lines(known));
        },
        async settle(gone) {
          for (const version of gone) if (isVersion(version)) await remove(version);
          await unlink(path);
          ours.delete(name);
        },
      };
    },

    async *leftOver() {
      for (const name of await readdir(directory)) {
        if (ours.has(name)) continue;
        const path = join(directory, name);
        const text = await readFile(path, 'utf8');
        yield { versions: text.split('\n').filter(isVersion), close: () => unlink(path) };
      }
    },
  };
}

function lines(versions: readonly string[]): string {
  return versions.map((version) => `${version}\n`).join('');
}
