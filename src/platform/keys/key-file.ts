/**
 * Stores a project's signing keys in a separate file (`auth.signing_keys_path`) or in `.plinth/secrets.json`. A change
 * is written to a temporary file, which is synced and renamed, so concurrent readers see either the old or the new
 * content. Only one process at a time can change a file that contains keys.
 */

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileStamp, replaceFile } from '../../base/kernel/replace-file.ts';
import type { Jwk } from './jwk.ts';
import { describeKeys, KeyRejection } from './rotation.ts';

export interface KeyFile {
  readonly path: string;
  /** Reads the keys. @throws {Error} if the file isn't a JSON list of keys. The message includes the file's path. */
  read(): readonly Jwk[];
  /** Returns a value that changes whenever the file is written. Returns undefined if the file doesn't exist. */
  stamp(): string | undefined;
  /**
   * Changes the keys. Only one change is made at a time, across all processes.
   * @throws {KeyRejection} if `change` throws this error, or if another change is in progress
   */
  update(change: (keys: readonly Jwk[]) => readonly Jwk[]): readonly Jwk[];
}

interface KeyFileLocation {
  /** The value of the setting `auth.signing_keys_path`. */
  readonly signingKeysPath: string | undefined;
  readonly supabaseDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
}

/**
 * Returns the file that stores the signing keys. In development, returns undefined if the file doesn't exist, because
 * the well-known key is then used for signing.
 */
export function keyFileOf(location: KeyFileLocation): KeyFile | undefined {
  if (location.signingKeysPath !== undefined) {
    const path = resolve(location.supabaseDir, location.signingKeysPath);
    return keyFile(path, { list: (content) => content, put: (_content, keys) => keys });
  }
  if (location.mode === 'development') return undefined;
  return keyFile(join(location.dataDir, 'secrets.json'), {
    list: (content) => (content as { signingKeys?: unknown } | null)?.signingKeys,
    put: (content, signingKeys) => ({ ...(content as object), signingKeys }),
  });
}

/** Reads and replaces the list of keys in the file's parsed JSON. */
interface Shape {
  list(content: unknown): unknown;
  put(content: unknown, keys: readonly Jwk[]): unknown;
}

function keyFile(path: string, shape: Shape): KeyFile {
  function content(): unknown {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new Error(`Signing keys: ${path} can't be read as JSON (${(error as Error).message})`);
    }
  }

  function keysIn(found: unknown): readonly Jwk[] {
    const keys = shape.list(found);
    if (!Array.isArray(keys) || keys.length === 0) {
      throw new Error(
        `Signing keys: ${path} must contain a JSON list of private JWKs; create a key with "plinth gen signing-key"`,
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
        // Throws if a key can't be loaded, because such a key must not be stored.
        describeKeys(keys);
        replaceFile(path, `${JSON.stringify(shape.put(before, keys), null, 2)}\n`);
        return keys;
      });
    },
  };
}

/** A change takes milliseconds, so a lock file older than this limit was left behind by a killed process. */
const abandonedAfterMs = 60_000;

/**
 * Runs `work` while a lock file exists. Creates the file before the work and removes it afterward. Replaces a lock file
 * that a killed process left behind.
 * @throws {KeyRejection} if another change is in progress
 */
export function whileLocked<T>(path: string, work: () => T): T {
  const lock = `${path}.lock`;
  if (!create(lock)) {
    removeIfAbandoned(lock);
    if (!create(lock))
      throw new KeyRejection('Another command is changing the keys.', 'Try again in a minute.');
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Returns whether the lock file was created. Returns false if the lock file already exists. */
function create(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * The abandoned lock file is renamed first, so only one process removes it. If another process replaced the abandoned
 * file in the meantime, the new file is put back.
 */
function removeIfAbandoned(lock: string): void {
  const isAbandoned = (path: string): boolean => Date.now() - statSync(path).mtimeMs > abandonedAfterMs;
  const renamed = `${lock}.${randomUUID()}`;
  try {
    if (!isAbandoned(lock)) return;
    renameSync(lock, renamed);
    if (isAbandoned(renamed)) rmSync(renamed);
    else renameSync(renamed, lock);
  } catch (error) {
    // The other process has finished and removed its file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
