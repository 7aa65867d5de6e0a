/**
 * Where a project keeps its signing keys: a file of its own (`auth.signing_keys_path`), or `.plinth/secrets.json`.
 * A change is written beside the file, synced and put in its place, so that whoever reads meanwhile finds either all of
 * the old or all of the new.
 */
import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileStamp, replaceFile } from '../kernel/replace-file.ts';
import type { Jwk } from './jwk.ts';
import { describeKeys, KeyRefusal } from './rotation.ts';

export interface KeyFile {
  readonly path: string;
  /** @throws {Error} a sentence that names the file. */
  read(): readonly Jwk[];
  /** Changes when the file does; undefined when it is not there. */
  stamp(): string | undefined;
  /** One change at a time, from whatever process. @throws {KeyRefusal} what `change` throws, or that another is under way. */
  update(change: (keys: readonly Jwk[]) => readonly Jwk[]): readonly Jwk[];
}

export interface KeyFilePlace {
  /** `auth.signing_keys_path`. */
  readonly signingKeysPath: string | undefined;
  readonly supabaseDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
}

/** Undefined: development without a file signs with the well-known key. */
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

/** How the list lies in the JSON of the file. */
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
        // What cannot be loaded must not be put in place.
        describeKeys(keys);
        replaceFile(path, `${JSON.stringify(shape.put(before, keys), null, 2)}\n`);
        return keys;
      });
    },
  };
}

/** The lock is a file: whoever makes it has it. */
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
