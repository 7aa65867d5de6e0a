/** The storage page's queries and search parameters. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type {
  Bucket,
  FileInfo,
  FolderEntry,
  FolderPage,
  StorageOverview,
  StorageUsage,
  UploadLink,
} from '../../../../src/pages/console/storage/contract.ts';

export interface StorageSearch {
  readonly bucket?: string;
  /** The folder's path with its trailing slash. Undefined for the root. */
  readonly folder?: string;
  readonly search?: string;
  /** The full path to the open file. */
  readonly file?: string;
  /** If undefined, files are sorted by name. */
  readonly sort?: Exclude<FileSort, 'name'>;
  /** If undefined, the order is ascending. */
  readonly order?: 'desc';
}

export type FileSort = 'name' | 'size' | 'updated_at';

export function validateStorageSearch(search: Record<string, unknown>): StorageSearch {
  const text = (name: string): Record<string, string> => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const { folder } = text('folder');
  const { sort, order } = search;
  return {
    ...text('bucket'),
    ...text('search'),
    ...text('file'),
    ...(sort === 'size' || sort === 'updated_at' ? { sort } : {}),
    ...(order === 'desc' ? { order } : {}),
    ...(folder === undefined ? {} : { folder: folder.endsWith('/') ? folder : `${folder}/` }),
  };
}

export const storageQuery = queryOptions({
  queryKey: ['storage'],
  queryFn: ({ signal }) => fetchConsole('GET /storage', { signal }),
});

const usageKey = ['storage-usage'] as const;

export const usageQuery = (isExact: boolean) =>
  queryOptions({
    queryKey: [...usageKey, isExact],
    queryFn: ({ signal }) =>
      fetchConsole('GET /storage/usage', { query: { exact: String(isExact) }, signal }),
    // Counting reads the rows of all files, so the numbers aren't refreshed automatically.
    staleTime: 5 * 60_000,
    refetchOnWindowFocus: false,
    retry: false,
  });

export const filesKey = (bucket: string) => ['files', bucket] as const;

/** Refetches the files and the usage after files were added, moved or deleted. */
export async function refreshFiles(queryClient: QueryClient, queryKey: readonly string[]): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey }),
    queryClient.invalidateQueries({ queryKey: usageKey }),
  ]);
}

export const filesQuery = (
  bucket: string,
  prefix: string,
  { sort, order }: Pick<StorageSearch, 'sort' | 'order'>,
) =>
  infiniteQueryOptions({
    queryKey: [...filesKey(bucket), prefix, sort, order],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /storage/buckets/:bucket/objects', {
        params: { bucket },
        query: { prefix, cursor: pageParam || undefined, sort, order },
        signal,
      }),
    getNextPageParam: (last) => (last.hasNext ? last.nextCursor : undefined),
    placeholderData: (previous, query) =>
      query?.queryKey[1] === bucket && query.queryKey[2] === prefix ? previous : undefined,
  });

export const fileQuery = (bucket: string, path: string) =>
  queryOptions({
    queryKey: ['file', bucket, path],
    queryFn: ({ signal }) =>
      fetchConsole('GET /storage/buckets/:bucket/object', { params: { bucket }, query: { path }, signal }),
    // The link is valid for two hours. The link isn't fetched more often, because a new link would restart a video that
    // is playing.
    staleTime: 60 * 60_000,
  });
