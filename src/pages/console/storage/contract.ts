/** Bucket and file names aren't validated here, because the storage service has its own rules for names. */
import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const name = z.string().min(1).max(1024);
const sizeBytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const bucketFields = {
  public: z.boolean(),
  file_size_limit: sizeBytes.nullable(),
  allowed_mime_types: z.array(z.string().min(1).max(200)).max(100).nullable(),
};
const newBucket = z.object({ name: z.string().min(1).max(100), ...bucketFields }).strict();
const bucketChange = z.object(bucketFields).partial().strict();

const folderPage = z.object({
  /**
   * A prefix that consists of a folder's path with a slash at the end (or an empty string) and the beginning of a name.
   */
  prefix: z.string().max(1024).default(''),
  cursor: z.string().max(4000).optional(),
  sort: z.enum(['name', 'created_at', 'updated_at', 'size']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
});
const objectPath = z.object({ path: name });
const uploadLink = z.object({ path: name, replace: z.boolean().default(false) });
const shareLink = z.object({ path: name, seconds: z.number().int().min(1).max(31_536_000) });
const objectMove = z.object({ from: name, to: name, bucket: name.optional() });
/** A folder's path with a slash at the end. */
const folder = name.endsWith('/').refine((path) => !path.startsWith('/'), "can't begin with a slash");
const folderMove = z.object({
  from: folder,
  /** The new path. An empty string stands for the root of the bucket. */
  to: z.union([z.literal(''), folder]),
  bucket: name.optional(),
  /** The value of `next` in the previous response. */
  cursor: z.string().max(4000).optional(),
});
const maxThumbnails = 50;
const thumbnailRequest = z.object({
  files: z.array(z.object({ path: name, type: z.string().max(200), size: sizeBytes })).max(maxThumbnails),
});
const usageRequest = z.object({ exact: z.stringbool().default(false) });
const objectRemove = z.object({
  paths: z.array(name).max(1000).default([]),
  /** The paths of the folders, each with a slash at the end. All objects in these folders are deleted. */
  folders: z.array(name.endsWith('/')).max(100).default([]),
});

export interface Bucket {
  readonly id: string;
  readonly name: string;
  readonly public: boolean;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
  readonly created_at: string;
}

/** The optional features that are supported by the storage service in this process. */
export interface StorageFeatures {
  /** Whether clients can upload files with TUS at /upload/resumable. */
  readonly resumable: boolean;
  /** Whether clients can get resized images at /render/image. */
  readonly transforms: boolean;
}

export interface StorageOverview {
  readonly buckets: readonly Bucket[];
  readonly features: StorageFeatures;
  /** The file size limit for buckets that don't have their own limit. */
  readonly fileSizeLimitBytes: number;
  /** The URL of the storage service. */
  readonly url: string;
}

export interface FolderEntry {
  /** The complete path. The path of a folder ends with a slash. */
  readonly name: string;
  readonly id: string | null;
  readonly updated_at: string | null;
  readonly metadata?: { readonly size?: number; readonly mimetype?: string } | null;
}

export interface FolderPage {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly FolderEntry[];
  readonly objects: readonly FolderEntry[];
}

/** The data that the storage service returns about an object. */
export interface ObjectInfo {
  readonly name: string;
  readonly size: number | null;
  readonly content_type: string | null;
  readonly etag: string | null;
  readonly created_at: string | null;
  readonly last_modified: string | null;
  readonly metadata: Record<string, unknown> | null;
}

export interface FileInfo extends ObjectInfo {
  /** A signed URL for reading the file. */
  readonly link: string;
  /** A signed URL for a smaller version of the image. Null if the storage service can't resize the file. */
  readonly preview_link: string | null;
}

/** A signed URL with which a single file can be uploaded. */
export interface UploadLink {
  readonly url: string;
  readonly token: string;
}

export interface Removal {
  readonly deleted: number;
  /** Whether the folder still contains objects. One call deletes only a limited number of objects. */
  readonly more: boolean;
}

export interface FolderMove {
  readonly moved: number;
  /** The files that weren't moved, each with the reason. */
  readonly failures: readonly { readonly path: string; readonly message: string }[];
  /** The position after the last file that this call moved. Null if no files are left. */
  readonly next: string | null;
}

export interface Thumbnails {
  /** Signed URLs of thumbnails, by the path of the image. Files that have no thumbnail are omitted. */
  readonly links: Readonly<Record<string, string>>;
}

export interface StorageUsage {
  readonly buckets: readonly {
    readonly bucket: string;
    readonly files: number;
    readonly bytes: number;
  }[];
  /** Whether the numbers are estimates based on a sample. */
  readonly isEstimate: boolean;
}

export const contract = {
  'GET /storage': { response: json<StorageOverview>() },
  'POST /storage/buckets': { body: newBucket, response: json<{ readonly name: string }>() },
  'PATCH /storage/buckets/:bucket': { body: bucketChange, response: noContent },
  'DELETE /storage/buckets/:bucket': { response: noContent },
  'POST /storage/buckets/:bucket/empty': { response: noContent },
  'GET /storage/buckets/:bucket/objects': { query: folderPage, response: json<FolderPage>() },
  'GET /storage/buckets/:bucket/object': { query: objectPath, response: json<FileInfo>() },
  'POST /storage/buckets/:bucket/upload-link': { body: uploadLink, response: json<UploadLink>() },
  'POST /storage/buckets/:bucket/share-link': {
    body: shareLink,
    response: json<{ readonly link: string }>(),
  },
  'POST /storage/buckets/:bucket/move': { body: objectMove, response: noContent },
  'POST /storage/buckets/:bucket/copy': { body: objectMove, response: noContent },
  'POST /storage/buckets/:bucket/move-folder': { body: folderMove, response: json<FolderMove>() },
  'POST /storage/buckets/:bucket/thumbnails': { body: thumbnailRequest, response: json<Thumbnails>() },
  'GET /storage/usage': { query: usageRequest, response: json<StorageUsage>() },
  'POST /storage/buckets/:bucket/remove': { body: objectRemove, response: json<Removal>() },
} as const satisfies RouteTable;
