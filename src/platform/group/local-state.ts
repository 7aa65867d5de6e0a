/** The state files of this node, and a record of the versions that it last stored or copied. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isWithin } from '../../base/kernel/real-path.ts';
import { fileStamp, replaceFile } from '../../base/kernel/replace-file.ts';
import { KeyRejection, whileLocked } from '../keys/index.ts';
import type { Recorded } from './decide.ts';

/** The files and folders that all nodes share. Names are paths relative to the data folder, with `/` as separator. */
export interface StateFiles {
  readonly dataDir: string;
  readonly files: readonly string[];
  /** Folders in which every file is a state file. */
  readonly folders: readonly string[];
  /** State files that refer to folders, by name. */
  readonly indexes: Readonly<Record<string, FolderIndex>>;
}

/** A state file that lists folders. The folders never change, and their names are never used again. */
export interface FolderIndex {
  /** The start of all folders' names. */
  readonly prefix: string;
  /** Returns the names of the folders. */
  list(content: Buffer): readonly string[];
}

const recordName = 'group.json';
/** The endings of names that belong to temporary files, locks and files that were replaced after a conflict. */
const ignored = ['.tmp', '.lock', '.lost'];

export class LocalState {
  readonly #spec: StateFiles;
  readonly #recorded: Map<string, Recorded>;

  constructor(spec: StateFiles) {
    this.#spec = spec;
    this.#recorded = readRecord(join(spec.dataDir, recordName));
  }

  /** Returns the names of all state files, whether they exist or not. */
  names(): string[] {
    const { dataDir, files, folders } = this.#spec;
    return [...files, ...folders.flatMap((folder) => filesBelow(dataDir, folder))];
  }

  /** Whether a row with this name belongs to this version's state files. */
  knows(name: string): boolean {
    const { dataDir, files, folders } = this.#spec;
    if (files.includes(name)) return true;
    const path = join(dataDir, name);
    return !isIgnored(name) && folders.some((folder) => isWithin(join(dataDir, folder), path));
  }

  pathOf(name: string): string {
    return join(this.#spec.dataDir, name);
  }

  stamp(name: string): string | undefined {
    return fileStamp(this.pathOf(name));
  }

  read(name: string): Buffer | undefined {
    try {
      return readFileSync(this.pathOf(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Writes the file, or removes it if `content` is undefined. */
  write(name: string, content: Buffer | undefined): void {
    const path = this.pathOf(name);
    if (content === undefined) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    replaceFile(path, content);
  }

  /**
   * Writes or removes the file if it still has the given content. Returns false if a command is changing the file, or
   * has changed it since it was read.
   */
  replace(name: string, before: Buffer | undefined, next: Buffer | undefined): boolean {
    const path = this.pathOf(name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      return whileLocked(path, () => {
        if (!isSame(this.read(name), before)) return false;
        this.write(name, next);
        return true;
      });
    } catch (error) {
      if (error instanceof KeyRejection) return false;
      throw error;
    }
  }

  /** Keeps a content of the file under another name. Returns the path. */
  keepLost(name: string, content: Buffer): string {
    const path = `${this.pathOf(name)}.lost`;
    replaceFile(path, content);
    return path;
  }

  /** Returns the description of a state file that lists folders. */
  indexOf(name: string): FolderIndex | undefined {
    return Object.hasOwn(this.#spec.indexes, name) ? this.#spec.indexes[name] : undefined;
  }

  hasFolder(name: string): boolean {
    return existsSync(this.pathOf(name));
  }

  recorded(name: string): Recorded | undefined {
    return this.#recorded.get(name);
  }

  record(versions: ReadonlyMap<string, Recorded>): void {
    let isChanged = false;
    for (const [name, next] of versions) {
      const before = this.#recorded.get(name);
      if (before?.version === next.version && before.digest === next.digest) continue;
      this.#recorded.set(name, next);
      isChanged = true;
    }
    if (!isChanged) return;
    const files = Object.fromEntries([...this.#recorded].sort(([a], [b]) => (a < b ? -1 : 1)));
    replaceFile(join(this.#spec.dataDir, recordName), `${JSON.stringify({ files }, null, 2)}\n`);
  }
}

export const isSame = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);

const isIgnored = (name: string): boolean => ignored.some((ending) => name.endsWith(ending));

function filesBelow(dataDir: string, folder: string): string[] {
  const path = join(dataDir, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isIgnored(entry.name))
    .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

/** An unreadable record is the same as none, so that the files are compared with the database. */
function readRecord(file: string): Map<string, Recorded> {
  try {
    const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, Recorded> };
    return new Map(Object.entries(files));
  } catch {
    return new Map();
  }
}
