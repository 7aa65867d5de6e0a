/**
 * The file backend's intents: one small file `OWNER.ID` each, holding versions line by line. They need no fsync of their own:
 * after a power cut a lost intent can leave bytes without a row, never a row without bytes.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isFullDisk, isMissing } from './file-errors.ts';
import { isVersion } from './file-paths.ts';
import type { Owners } from './owners.ts';
import type { Intent } from './types.ts';

export interface IntentLog {
  open(versions: readonly string[]): Promise<Intent>;
  /** Intents of processes that have died, with their versions. */
  leftOver(): AsyncIterable<{ readonly versions: readonly string[]; close(): Promise<void> }>;
}

export function createIntentLog(
  directory: string,
  owners: Owners,
  remove: (version: string) => Promise<void>,
): IntentLog {
  return {
    async open(versions) {
      const path = join(directory, `${owners.own}.${randomUUID()}`);
      const write = async (text: string): Promise<void> => {
        try {
          await appendFile(path, text, { mode: 0o600 });
        } catch (error) {
          // On a full disk nothing new is stored, but deleting must go on: without its note a crash at this moment
          // would leave bytes behind, a refusal would leave no way to make room.
          if (versions.length > 0 || !isFullDisk(error)) throw error;
        }
      };
      const close = (): Promise<void> => removeIfThere(path);
      try {
        await write(lines(versions));
      } catch (error) {
        await close();
        throw error;
      }
      return {
        async giveUp(more) {
          const known = more.filter(isVersion);
          if (known.length > 0) await write(lines(known));
        },
        async settle(gone) {
          for (const version of gone) if (isVersion(version)) await remove(version);
          await close();
        },
      };
    },

    async *leftOver() {
      for (const name of await readdir(directory)) {
        const [owner = ''] = name.split('.');
        if (owner === owners.own || !(await owners.isDead(owner))) continue;
        const path = join(directory, name);
        let text: string;
        try {
          text = await readFile(path, 'utf8');
        } catch (error) {
          // Somebody else has settled it since the folder was read.
          if (isMissing(error)) continue;
          throw error;
        }
        yield { versions: text.split('\n').filter(isVersion), close: () => removeIfThere(path) };
      }
    },
  };
}

function lines(versions: readonly string[]): string {
  return versions.map((version) => `${version}\n`).join('');
}

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}
