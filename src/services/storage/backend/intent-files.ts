/**
 * The files of the intents that are in progress. The files are written in batches: lines that are added while a write is
 * in progress are written together.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { removeIfThere } from './file-system.ts';

interface IntentFile {
  readonly path: string;
  readonly handle: Promise<FileHandle>;
}

/** A file that lists the versions of several intents. */
export interface Note extends IntentFile {
  /** The number of intents that haven't been settled. */
  pending: number;
  lines: number;
  /** The lines that the next write contains. */
  unwritten: string[];
  /** The lines for settled intents, which are written together with other lines or after a while. */
  settled: string;
  nextWrite: Promise<void> | undefined;
  /** Resolves when the write in progress has ended. */
  lastWrite: Promise<void>;
  /** Whether recovery must settle an intent, so the file must be kept. */
  isKept: boolean;
}

/**
 * The maximum number of empty files that are kept for reuse. ext4 avoids reusing recently freed inodes, so creating and
 * deleting a file per intent would use a quarter of the CPU time of a 1 KiB upload.
 */
const maxWaiting = 16;
/** When a file contains this number of lines, the next intent uses another file. */
const maxLines = 64;
/**
 * The time after which settled intents are recorded or their file is emptied. Under load, a file is therefore emptied
 * once per {@link maxLines} lines instead of once per intent.
 */
const tidyAfterMs = 20;

export class IntentFiles {
  readonly #directory: string;
  readonly #owner: string;
  readonly #waiting: IntentFile[] = [];
  readonly #used = new Set<Note>();
  readonly #finishing = new Set<Promise<void>>();
  /** The file to which intents are added. */
  #current: Note | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(directory: string, owner: string) {
    this.#directory = directory;
    this.#owner = owner;
  }

  /** Returns the file to which an intent is added. The caller must increase `pending` before it awaits anything. */
  current(): Note {
    if (this.#current === undefined || this.#current.lines >= maxLines) this.#current = this.#take();
    return this.#current;
  }

  /** Writes lines. Resolves when they have been written. */
  append(note: Note, text: string): Promise<void> {
    note.unwritten.push(text);
    note.nextWrite ??= note.lastWrite.then(() => {
      note.nextWrite = undefined;
      // A version that has been settled can be listed again when it is removed.
      const batch = note.settled + note.unwritten.splice(0).join('');
      note.settled = '';
      const written = note.handle.then((handle) => handle.appendFile(batch));
      note.lastWrite = written.catch(() => {
        // The last line may be incomplete, so nothing can be added to the file.
        if (this.#current === note) this.#current = undefined;
      });
      return written;
    });
    return note.nextWrite;
  }

  /** Must be called when an intent has been settled. `settled` contains the lines that record this. */
  release(note: Note, settled: string): void {
    note.pending -= 1;
    note.settled += settled;
    if (this.#used.has(note)) this.#timer ??= setTimeout(() => this.#tidy(), tidyAfterMs);
  }

  /** Removes the files whose intents have been settled. All other files are kept for the next startup. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#current = undefined;
    for (const note of [...this.#used]) {
      this.#used.delete(note);
      if (note.pending > 0 || note.isKept) await this.#keep(note);
      else await drop(note);
    }
    await Promise.all(this.#finishing);
    for (const file of this.#waiting.splice(0)) await drop(file);
  }

  #take(): Note {
    const path = join(this.#directory, `${this.#owner}.${randomUUID()}`);
    const file = this.#waiting.pop() ?? { path, handle: open(path, 'ax', 0o600) };
    const note: Note = {
      ...file,
      pending: 0,
      lines: 0,
      unwritten: [],
      settled: '',
      nextWrite: undefined,
      lastWrite: Promise.resolve(),
      isKept: false,
    };
    this.#used.add(note);
    return note;
  }

  #tidy(): void {
    this.#timer = undefined;
    for (const note of this.#used) {
      if (note.pending === 0) {
        const finished: Promise<void> = this.#finish(note).finally(() => this.#finishing.delete(finished));
        this.#finishing.add(finished);
      } else if (note.settled !== '') {
        // Without these lines, recovery would check whether the versions have rows.
        this.append(note, '').catch(() => undefined);
      }
    }
  }

  /** Leaves the file to the next startup, which settles its other intents. */
  async #keep(note: Note): Promise<void> {
    if (note.settled !== '') await this.append(note, '').catch(() => undefined);
    await leave(note);
  }

  /** Empties a file whose intents have been settled, or keeps it for the next startup. */
  async #finish(note: Note): Promise<void> {
    this.#used.delete(note);
    if (this.#current === note) this.#current = undefined;
    const { path, handle } = note;
    try {
      await note.lastWrite;
      if (note.isKept) await this.#keep(note);
      else if (this.#waiting.length >= maxWaiting) await drop(note);
      else {
        await (await handle).truncate();
        this.#waiting.push({ path, handle });
      }
    } catch {
      await drop(note).catch(() => undefined);
    }
  }
}

/** Closes the file, but doesn't remove it. */
async function leave({ handle }: IntentFile): Promise<void> {
  await (await handle.catch(() => undefined))?.close();
}

async function drop(file: IntentFile): Promise<void> {
  await leave(file);
  await removeIfThere(file.path);
}
