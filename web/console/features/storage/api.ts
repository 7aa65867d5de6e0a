/** What the storage page reads, and its part of the address. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export interface Bucket {
  readonly id: string;
  readonly name: string;
  readonly public: boolean;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
  readonly created_at: string;
}

export interface StorageFacts {
  readonly buckets: readonly Bucket[];
  readonly features: { readonly resumable: boolean; readonly transforms: boolean };
  readonly fileSizeLimitBytes: number;
  /** Of the storage service. */
  readonly url: string;
}

export interface Entry {
  /** The whole path; of a folder with its slash. */
  readonly name: string;
  readonly id: string | null;
  readonly updated_at: string | null;
  readonly metadata?: { readonly size?: number; readonly mimetype?: string } | null;
}

export interface FolderPage {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly Entry[];
  readonly objects: readonly Entry[];
}

export interface FileInfo {
  readonly name: string;
  readonly size: number | null;
  readonly content_type: string | null;
  readonly etag: string | null;
  readonly created_at: string | null;
  readonly last_modified: string | null;
  readonly metadata: Record<string, unknown> | null;
  /** Reads the file for a while. */
  readonly link: string;
  /** A smaller picture of it, where the service makes such. */
  readonly preview_link: string | null;
}

export interface StorageSearch {
  readonly bucket?: string;
  /** With its slash; none: the root. */
  readonly folder?: string;
  readonly search?: string;
  /** The whole path of the file that is open. */
  readonly file?: string;
}

export function validateStorageSearch(search: Record<string, unknown>): StorageSearch {
  const text = (name: string): Record<string, string> => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  const { folder } = text('folder');
  return {
    ...text('bucket'),
    ...text('search'),
    ...text('file'),
    ...(folder === undefined ? {} : { folder: folder.endsWith('/') ? folder : `${folder}/` }),
  };
}

export const storageQuery = queryOptions({
  queryKey: ['storage'],
  queryFn: ({ signal }) => callConsole<StorageFacts>('/storage', { signal }),
});

export const bucketPath = (bucket: string): string => `/storage/buckets/${encodeURIComponent(bucket)}`;

export const filesKey = (bucket: string) => ['files', bucket] as const;

export const filesQuery = (bucket: string, prefix: string) =>
  infiniteQueryOptions({
    queryKey: [...filesKey(bucket), prefix],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      callConsole<FolderPage>(
        `${bucketPath(bucket)}/objects?${new URLSearchParams({ prefix, ...(pageParam === '' ? {} : { cursor: pageParam }) })}`,
        { signal },
      ),
    getNextPageParam: (last) => (last.hasNext ? last.nextCursor : undefined),
  });

export const fileQuery = (bucket: string, path: string) =>
  queryOptions({
    queryKey: ['file', bucket, path],
    queryFn: ({ signal }) =>
      callConsole<FileInfo>(`${bucketPath(bucket)}/object?${new URLSearchParams({ path })}`, { signal }),
    // The link lives for two hours, and a film that plays must not begin anew.
    staleTime: 60 * 60_000,
  });
