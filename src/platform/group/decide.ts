/** Decides for one state file whether the node's copy or the database's version is used. */

/** The version that this node last stored or copied. */
export interface Recorded {
  readonly version: number;
  /** Null if the file was removed in this version. */
  readonly digest: string | null;
}

/**
 * - `none`: The file and the database agree.
 * - `pull`: The node's file is replaced, or removed if it was removed in the database.
 * - `push`: The node's file is stored in the database.
 * - `conflict`: Both have changed. The database's version is used, and the node's file is kept under another name.
 */
export type Decision = 'none' | 'pull' | 'push' | 'conflict';

/**
 * @param local The digest of the node's file, or undefined if the file doesn't exist.
 * @param recorded The version that the node last stored or copied.
 * @param stored The version in the database.
 */
export function decide(
  local: string | undefined,
  recorded: Recorded | undefined,
  stored: Recorded | undefined,
): Decision {
  if (stored === undefined) return local === undefined ? 'none' : 'push';
  if ((local ?? null) === stored.digest) return 'none';
  // A missing file is never a change, because a new data folder has no files. Plinth removes a file only in a change.
  if (local === undefined) return 'pull';
  if (recorded === undefined) return 'conflict';
  if (local === recorded.digest) return 'pull';
  return recorded.version === stored.version ? 'push' : 'conflict';
}
