/**
 * Moves all files in a folder. The storage service can't move a folder in one step, because folders exist only as parts
 * of file paths.
 */
import { ConsoleError } from '../errors.ts';
import type { ServiceClient } from '../service-client.ts';
import type { FolderEntry, FolderMove } from './contract.ts';

/**
 * The number of files that are moved per call. The caller repeats the call until all files are moved, so the caller can
 * show the progress and stop.
 */
const maxMoved = 100;
const concurrentMoves = 4;

export interface MoveRequest {
  readonly bucket: string;
  readonly from: string;
  readonly toBucket: string;
  readonly to: string;
  readonly cursor?: string | undefined;
}

/**
 * Moves the next batch of files. Files that can't be moved, for example because the new path already exists, stay where
 * they are and are returned with the reason. Moved files are no longer in the old folder, so the move can be continued
 * without a cursor.
 * @throws {ConsoleError} bad_request
 */
export async function moveFolder(
  callService: ServiceClient,
  move: (from: string, to: string) => Promise<void>,
  { bucket, from, toBucket, to, cursor }: MoveRequest,
): Promise<FolderMove> {
  if (bucket === toBucket && to.startsWith(from))
    throw new ConsoleError('bad_request', {
      message: "A folder can't be moved into itself. Enter a path outside of the folder.",
    });
  const { body } = await callService(`/storage/v1/object/list-v2/${encodeURIComponent(bucket)}`, {
    method: 'POST',
    missing: "This bucket or file doesn't exist.",
    body: { prefix: from, limit: maxMoved, ...(cursor === undefined ? {} : { cursor }) },
  });
  const waiting = (body.objects as FolderEntry[]).map(({ name }) => name);
  const failures: { path: string; message: string }[] = [];
  let moved = 0;
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      try {
        await move(path, to + path.slice(from.length));
        moved++;
      } catch (error) {
        failures.push({ path, message: (error as Error).message });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentMoves }, work));
  return { moved, failures, next: body.hasNext === true ? String(body.nextCursor) : null };
}
