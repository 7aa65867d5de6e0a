/**
 * Records intents in files `OWNER.ID`. Each line contains a version, or `-` and a version whose intent has been settled.
 * Intents that are opened at the same time share a file and are written in one call. A file is emptied when all of its
 * intents have been settled, and then reused.
 *
 * The files don't need fsync, because an intent lost in a power failure can leave bytes without a row, but never a row
 * without bytes.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVersion } from './file-paths.ts';
import { isFullDisk, isMissing, removeIfThere } from './file-system.ts';
import { IntentFiles, type Note } from './intent-files.ts';
import type { Owners } from './owners.ts';
import type { Intent } from './types.ts';

export interface IntentLog {
  open(versions: readonly string[]): Promise<Intent>;
  /** Yields the intents of processes that have ended, with their versions. */
  leftOver(): AsyncIterable<{ readonly versions: readonly string[]; close(): Promise<void> }>;
  /** Removes the empty files. Intents that haven't been settled are kept for the next startup. */
  close(): Promise<void>;
}

export function createIntentLog(
  directory: string,
  owners: Owners,
  remove: (version: string) => Promise<void>,
): IntentLog {
  const files = new IntentFiles(directory, owners.own);

  return {
    async open(versions) {
      /** The lines for the intent's versions, by the file that lists the versions. */
      const notes = new Map<Note, string>();
      const write = async (listed: readonly string[]): Promise<void> => {
        const note = files.current();
        note.lines += listed.length;
        if (!notes.has(note)) note.pending += 1;
        notes.set(note, (notes.get(note) ?? '') + lines(listed, '-'));
        try {
          await files.append(note, lines(listed));
        } catch (error) {
          // If the disk is full, the server rejects new objects, but deletions must succeed. A deletion without an
          // intent may leave bytes behind if the process crashes now. This is better than rejecting the deletion,
          // because then no space could be freed.
          if (versions.length > 0 || !isFullDisk(error)) throw error;
        }
      };
      const close = (): void => {
        for (const [note, settled] of notes) files.release(note, settled);
      };
      const keep = (): void => {
        for (const note of notes.keys()) {
          note.isKept = true;
          files.release(note, '');
        }
      };
      try {
        if (versions.length > 0) await write(versions);
      } catch (error) {
        close();
        throw error;
      }
      return {
        async giveUp(more) {
          const known = more.filter(isVersion);
          if (known.length > 0) await write(known);
        },
        async settle(gone) {
          try {
            // The removals run concurrently, because the removal of a version that is still being read waits for the
            // reader.
            await Promise.all(gone.filter(isVersion).map(remove));
          } catch (error) {
            keep();
            throw error;
          }
          close();
        },
        async leave() {
          keep();
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
          // Another process has settled the intent since this process listed the folder.
          if (isMissing(error)) continue;
          throw error;
        }
        const close = (): Promise<void> => removeIfThere(path);
        if (text === '') await close();
        else yield { versions: unsettled(text), close };
      }
    },

    close: () => files.close(),
  };
}

const lines = (versions: readonly string[], mark = ''): string =>
  versions.map((version) => `${mark}${version}\n`).join('');

/** Returns the versions in a file whose intents haven't been settled. */
function unsettled(text: string): string[] {
  const versions = new Set<string>();
  for (const line of text.split('\n')) {
    if (line.startsWith('-')) versions.delete(line.slice(1));
    else if (isVersion(line)) versions.add(line);
  }
  return [...versions];
}
