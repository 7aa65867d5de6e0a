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

/** A line as bodies show it; metadata is JSON already. */
export function lineJson(line: Line & { readonly key?: string } & WithDetails): string {
  const key = line.key === undefined ? '' : `"key":${JSON.stringify(line.key)},`;
  return (
    `{${key}"name":${JSON.stringify(line.name)},"id":${quoted(line.id)},"updated_at":${quoted(line.updated_at)},` +
    `"created_at":${quoted(line.created_at)},"last_accessed_at":${quoted(line.last_accessed_at)},` +
    `"metadata":${line.metadata ?? 'null'}}`
  );
}

interface WithDetails {
  readonly last_accessed_at: string | null;
  readonly metadata: string | null;
}

export function pageJson(page: Page<Parameters<typeof lineJson>[0]>): string {
  const { folders, objects, ...rest } = page;
  const open = JSON.stringify(rest).slice(0, -1);
  return `${open},"folders":[${folders.map(lineJson).join()}],"objects":[${objects.map(lineJson).join()}]}`;
}

/** UUIDs and dates hold nothing that JSON escapes. */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
