/**
 * Stores a project's signing keys in a separate file (`auth.signing_keys_path`) or in `.plinth/secrets.json`. A change
 * is written to a temporary file, which is synced and renamed, so concurrent readers see either the old or the new
 * content.
 */
import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileStamp, replaceFile } from '../kernel/replace-file.ts';
import type { Jwk } from './jwk.ts';
import { describeKeys, KeyRefusal } from './rotation.ts';

export interface KeyFile {
  readonly path: string;
  /** @throws {Error} with the path of the file */
  read(): readonly Jwk[];
  /** Returns a value that changes with the file, or undefined if the file doesn't exist. */
  stamp(): string | undefined;
  /**
   * Changes the keys. Only one change is made at a time, across all processes.
   * @throws {KeyRefusal} from `change`, or because another change is in progress
   */
  update(change: (keys: readonly Jwk[]) => readonly Jwk[]): readonly Jwk[];
}

export interface KeyFilePlace {
  /** `auth.signing_keys_path`. */
  readonly signingKeysPath: string | undefined;
  readonly supabaseDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
}

/** Returns undefined in development without a file, where the well-known key signs. */
export function keyFileOf(place: KeyFilePlace): KeyFile | undefined {
  if (place.signingKeysPath !== undefined) {
    const path = resolve(place.supabaseDir, place.signingKeysPath);
    return keyFile(path, { list: (content) => content, put: (_content, keys) => keys });
  }
  if (place.mode === 'development') return undefined;
  return keyFile(join(place.dataDir, 'secrets.json'), {
    list: (content) => (content as { signingKeys?: unknown } | null)?.signingKeys,
    put: (content, signingKeys) => ({ ...(content as object), signingKeys }),
  });
}

/** Describes how the list is embedded in the file's JSON. */
interface Shape {
  list(content: unknown): unknown;
  put(content: unknown, keys: readonly Jwk[]): unknown;
}

function keyFile(path: string, shape: Shape): KeyFile {
  function content(): unknown {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new Error(`Signing keys: ${path} cannot be read as JSON (${(error as Error).message})`);
    }
  }

  function keysIn(found: unknown): readonly Jwk[] {
    const keys = shape.list(found);
    if (!Array.isArray(keys) || keys.length === 0) {
      throw new Error(
        `Signing keys: ${path} must hold a JSON list of private JWKs; make one with "plinth gen signing-key"`,
      );
    }
    return keys as Jwk[];
  }

  return {
    path,
    read: () => keysIn(content()),
    stamp: () => fileStamp(path),
    update(change) {
      return whileLocked(path, () => {
        const before = content();
        const keys = change(keysIn(before));
        // Keys that can't be loaded must not be stored.
        describeKeys(keys);
        replaceFile(path, `${JSON.stringify(shape.put(before, keys), null, 2)}\n`);
        return keys;
      });
    },
  };
}

/** The lock is a file. The process that creates the file holds the lock. */
function whileLocked<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new KeyRefusal(
      'Another command is changing the signing keys.',
      `If none is, one was cut off: remove ${lock} and try again.`,
    );
  }
  try {
    return work();
  } finally {
    unlinkSync(lock);
  }
}
