/**
 * Stores each intent as a small file `OWNER.ID`, which lists the intent's versions, one per line. An empty file is kept
 * for the next intent. The files don't need fsync, because an intent lost in a power failure can leave bytes without a
 * row, but never a row without bytes.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVersion } from './file-paths.ts';
import { isFullDisk, isMissing, removeIfThere } from './file-system.ts';
import type { Owners } from './owners.ts';
import type { Intent } from './types.ts';

export interface IntentLog {
  open(versions: readonly string[]): Promise<Intent>;
  /** Yields the intents of processes that have ended, with their versions. */
  leftOver(): AsyncIterable<{ readonly versions: readonly string[]; close(): Promise<void> }>;
  /** Removes the empty files. Intents that haven't been settled are kept for the next startup. */
  close(): Promise<void>;
}

interface Note {
  readonly path: string;
  readonly handle: FileHandle;
}

/**
 * The maximum number of empty files that are kept for reuse. ext4 avoids reusing recently freed inodes, so creating and
 * deleting a file per intent would use a quarter of the CPU time of a 1 KiB upload.
 */
const maxWaiting = 16;

export function createIntentLog(
  directory: string,
  owners: Owners,
  remove: (version: string) => Promise<void>,
): IntentLog {
  const waiting: Note[] = [];
  const used = new Set<Note>();

  async function take(): Promise<Note> {
    let note = waiting.pop();
    if (note === undefined) {
      const path = join(directory, `${owners.own}.${randomUUID()}`);
      note = { path, handle: await open(path, 'ax', 0o600) };
    }
    used.add(note);
    return note;
  }
  async function leave(note: Note): Promise<void> {
    used.delete(note);
    await note.handle.close();
  }
  async function drop(note: Note): Promise<void> {
    await leave(note);
    await removeIfThere(note.path);
  }
  async function refund(note: Note): Promise<void> {
    if (waiting.length >= maxWaiting) return drop(note);
    try {
      await note.handle.truncate();
    } catch (error) {
      await drop(note);
      throw error;
    }
    used.delete(note);
    waiting.push(note);
  }

  return {
    async open(versions) {
      let note: Note | undefined;
      const write = async (text: string): Promise<void> => {
        try {
          note ??= await take();
          await note.handle.appendFile(text);
        } catch (error) {
          // If the disk is full, the server rejects new objects, but deletions must succeed. A deletion without an
          // intent may leave bytes behind if the process crashes now. This is better than rejecting the deletion,
          // because then no space could be freed.
          if (versions.length > 0 || !isFullDisk(error)) throw error;
        }
      };
      const close = async (): Promise<void> => {
        if (note) await refund(note);
      };
      try {
        if (versions.length > 0) await write(lines(versions));
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
          try {
            // The removals run concurrently, because the removal of a version that is still being read waits for the
            // reader.
            await Promise.all(gone.filter(isVersion).map(remove));
          } catch (error) {
            if (note) await leave(note);
            throw error;
          }
          await close();
        },
        async leave() {
          if (note) await leave(note);
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
        else yield { versions: text.split('\n').filter(isVersion), close };
      }
    },

    async close() {
      for (const note of waiting.splice(0)) await drop(note);
      for (const note of used) await leave(note);
    },
  };
}

function lines(versions: readonly string[]): string {
  return versions.map((version) => `${version}\n`).join('');
}
