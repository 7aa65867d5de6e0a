/**
 * Writes the settings files of a change: either all of them or, if there is an error, none. Changes are written one
 * after another.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { replaceFile } from '../../../base/kernel/replace-file.ts';
import { readTextFile } from '../../../base/shared/files.ts';
import { ConsoleError } from '../errors.ts';

type Run = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs work on the settings files one after another. Each change checks the files before writing them, so changes must
 * not run concurrently.
 */
export interface SettingsLock {
  readonly alone: Run;
  /** Runs a change of the files and stores the files for all nodes. Called inside {@link alone}. */
  readonly store: Run;
}

export function createSettingsLock(store: Run): SettingsLock {
  let last: Promise<unknown> = Promise.resolve();
  return {
    alone(work) {
      const next = last.then(work);
      last = next.catch(() => undefined);
      return next;
    },
    store,
  };
}

/** Writes a file and returns a function that restores the file's previous state. */
export type WriteFile = () => () => void;

export const readIfFile = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readTextFile(path) : undefined;

/**
 * Returns a value that identifies the text of a file, to find conflicting changes. The value is the same on all nodes
 * that have the same text. Empty if the file doesn't exist.
 */
export const stampOf = (text: string | undefined): string =>
  text === undefined ? '' : createHash('sha256').update(text).digest('base64url');

/** Writes a file. Returns a function that restores the file's previous state. */
export function writeFile(path: string, text: string, newFileMode: number): () => void {
  const before = readIfFile(path);
  mkdirSync(dirname(path), { recursive: true });
  replaceFile(path, text, newFileMode);
  return () => (before === undefined ? rmSync(path, { force: true }) : replaceFile(path, before));
}

/**
 * Returns a function that writes the file. If the file can't be written, the returned function throws an error that
 * shows the operator the reason.
 */
export const fileWrite =
  (path: string, text: string, newFileMode = 0o644): WriteFile =>
  () => {
    try {
      return writeFile(path, text, newFileMode);
    } catch (error) {
      const name = `${basename(dirname(path))}/${basename(path)}`;
      const message = `${name} can't be written: ${(error as Error).message}`;
      throw new ConsoleError('refused', { message }, { cause: error });
    }
  };

/** Writes all files, or none of them if any file can't be written. Returns a function that restores all files. */
export function writeFiles(writes: readonly WriteFile[]): () => void {
  const undo: (() => void)[] = [];
  const restore = (): void => {
    for (const each of undo.toReversed()) each();
  };
  try {
    for (const write of writes) undo.push(write());
  } catch (error) {
    restore();
    throw error;
  }
  return restore;
}
