/** Listings as answers: prefixes of list v1, pages of list v2. */
import { encodeCursor, type SortColumn, type SortOrder } from './cursor.ts';

/** A prefix of list v1 names a folder, with its slash or without; empty is the bucket's root. */
export function folderPrefix(prefix: string): string {
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
}

interface Line {
  readonly name: string;
  /** Null for a folder. */
  readonly id: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface Page<L> {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly nextCursorKey?: string;
  readonly folders: L[];
  readonly objects: L[];
}

/** `lines` may hold one line more than `limit`: then there is a next page. Folders get their slash back. */
export function pageOf<L extends Line>(
  lines: readonly L[],
  limit: number,
  column: SortColumn | undefined,
  order: SortOrder | undefined,
): Page<L> {
  const folders: L[] = [];
  const objects: L[] = [];
  for (const line of lines.slice(0, limit)) {
    if (line.id === null) folders.push({ ...line, name: `${line.name}/` });
    else objects.push(line);
  }
  const last = lines.length > limit ? lines[limit - 1] : undefined;
  if (!last) return { hasNext: false, folders, objects };
  const byMoment = column === 'created_at' || column === 'updated_at';
  return {
    hasNext: true,
    nextCursor: encodeCursor({
      // The slash tells a folder from an object of the same name, and skips all that is in it.
      startAfter: last.id === null ? `${last.name}/` : last.name,
      order,
      column,
      columnAfter: byMoment ? (last[column] ?? undefined) : undefined,
    }),
    nextCursorKey: last.name,
    folders,
    objects,
  };
}
