import { fetchConsole } from '../../api/session.ts';

/**
 * The maximum number of selected entries. With more entries, the selection and all later actions would take too long.
 */
export const maxSelected = 10_000;

/** Returns the names of at most {@link maxSelected} entries, including entries on pages that haven't been loaded. */
export async function fetchAllNames(bucket: string, prefix: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchConsole('GET /storage/buckets/:bucket/objects', {
      params: { bucket },
      query: { prefix, cursor },
    });
    names.push(...[...page.folders, ...page.objects].map(({ name }) => name));
    cursor = page.hasNext ? page.nextCursor : undefined;
  } while (cursor !== undefined && names.length < maxSelected);
  return names.slice(0, maxSelected);
}
