/**
 * Fetches links to thumbnails of the images in a folder. Browsers load the images themselves only when the images are
 * visible.
 */
import { queryOptions, useQueries } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import type { FolderEntry } from './api.ts';

const batchSize = 50;
/** The maximum age of the links, which is shorter than their lifetime. */
const staleMs = 25 * 60_000;

interface Picture {
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

const thumbnailsQuery = (bucket: string, files: readonly Picture[]) =>
  queryOptions({
    queryKey: ['thumbnails', bucket, files],
    queryFn: async ({ signal }) =>
      (
        await fetchConsole('POST /storage/buckets/:bucket/thumbnails', {
          params: { bucket },
          body: { files },
          signal,
        })
      ).links,
    staleTime: staleMs,
    gcTime: staleMs,
    retry: false,
  });

/** Returns the links by path. */
export function useThumbnails(
  bucket: string,
  entries: readonly FolderEntry[],
): Readonly<Record<string, string>> {
  const pictures = entries.flatMap(({ id, name, metadata }) => {
    const { mimetype: type = '', size = 0 } = metadata ?? {};
    return id !== null && type.startsWith('image/') ? [{ path: name, type, size }] : [];
  });
  const batches = Array.from({ length: Math.ceil(pictures.length / batchSize) }, (_, index) =>
    pictures.slice(index * batchSize, (index + 1) * batchSize),
  );
  return useQueries({
    queries: batches.map((files) => thumbnailsQuery(bucket, files)),
    combine: (results) =>
      Object.assign({}, ...results.map(({ data = {} }) => data)) as Record<string, string>,
  });
}
