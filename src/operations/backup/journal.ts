/**
 * Records which object bodies are stored and removed, in order. Several processes may store object bodies, and each
 * process appends to its own files. The archiver reads all files, and deletes a file after reading it if no process
 * writes to the file anymore. Entries aren't flushed to disk. If entries are lost in a power failure, comparing all
 * rows with the backup at startup finds the object bodies of these entries. The reader ignores incomplete entries.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../base/shared/run-folder.ts';
import { isVersion } from './core/names.ts';
import type { BodyJournal } from './types.ts';

export interface JournalFiles extends BodyJournal {
  read(): JournalEntries;
  close(): void;
}

export interface JournalEntries {
  readonly stored: readonly string[];
  readonly removed: readonly string[];
  /** Marks the entries as processed, so that the next `read` doesn't return them again. */
  done(): void;
}

/** The file size from which a process starts a new file. */
const fileBytes = 256 * 1024;
const lineFeed = 0x0a;

/** Opens the journal. `write` appends bytes to an open file and returns the number of bytes written. */
export function openJournal(
  dataDir: string,
  write: (handle: number, bytes: Buffer) => number = writeSync,
): JournalFiles {
  const dir = join(dataDir, 'backup', 'journal');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const owner = `${process.pid}-${Date.now().toString(36)}`;
  let sequence = 0;
  let written = 0;
  let handle: number | undefined;
  const processed = new Map<string, number>();

  const append = (lines: string): void => {
    if (handle === undefined || written >= fileBytes) {
      if (handle !== undefined) closeSync(handle);
      handle = openSync(join(dir, `${owner}.${++sequence}`), 'a', 0o600);
      written = 0;
    }
    const bytes = Buffer.from(lines, 'latin1');
    try {
      const count = write(handle, bytes);
      if (count < bytes.length)
        throw new Error('The backup journal could not be written. The disk may be full.');
      written += count;
    } catch (cause) {
      abandon(handle);
      throw cause;
    }
  };
  /**
   * Abandons a file after a failed write. The next entry is written to a new file, because another process may have
   * read past the position at which this file is truncated.
   */
  const abandon = (failed: number): void => {
    handle = undefined;
    try {
      ftruncateSync(failed, written);
    } catch {
      // This error is ignored because the reader skips an incomplete entry at the end of a file.
    } finally {
      closeSync(failed);
    }
  };
  const isFinished = (name: string, all: readonly string[]): boolean => {
    const [fileOwner = '', number = ''] = name.split('.');
    if (
      all.some(
        (other) =>
          other !== name && other.startsWith(`${fileOwner}.`) && Number(other.split('.')[1]) > Number(number),
      )
    )
      return true;
    return fileOwner !== owner && !isAlive(Number(fileOwner.split('-')[0]));
  };

  return {
    stored: (version) => append(`+${version}\n`),
    removed(versions) {
      if (versions.length > 0) append(versions.map((version) => `-${version}\n`).join(''));
    },
    read() {
      const names = readdirSync(dir).filter((name) => /^\d+-[0-9a-z]+\.\d+$/.test(name));
      const stored: string[] = [];
      const removed: string[] = [];
      const offsets = new Map<string, number>();
      // Determines the finished files before reading them, so that an entry added after the read isn't deleted together
      // with the file.
      const finished = new Set(names.filter((name) => isFinished(name, names)));
      for (const name of names) {
        const bytes = readFileSync(join(dir, name));
        const from = processed.get(name) ?? 0;
        const whole = bytes.lastIndexOf(lineFeed) + 1;
        for (const line of bytes.toString('latin1', from, whole).split('\n')) {
          const version = line.slice(1);
          if (!isVersion(version)) continue;
          if (line.startsWith('+')) stored.push(version);
          else removed.push(version);
        }
        offsets.set(name, whole);
      }
      return {
        stored,
        removed,
        done() {
          for (const [name, offset] of offsets) {
            if (finished.has(name)) {
              rmSync(join(dir, name), { force: true });
              processed.delete(name);
            } else processed.set(name, offset);
          }
        },
      };
    },
    close() {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
      written = 0;
    },
  };
}
