/** The shapes of what is asked about buckets and files. Names go to storage as they are: it knows which are good. */
import { z } from 'zod';

const name = z.string().min(1).max(1024);
const sizeBytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const bucketFields = {
  public: z.boolean(),
  file_size_limit: sizeBytes.nullable(),
  allowed_mime_types: z.array(z.string().min(1).max(200)).max(100).nullable(),
};
export const newBucket = z.object({ name: z.string().min(1).max(100), ...bucketFields }).strict();
export const bucketChange = z.object(bucketFields).partial().strict();

export const folderPage = z.object({
  /** A folder's path with its slash, or ''; behind it the beginning of a name. */
  prefix: z.string().max(1024).default(''),
  cursor: z.string().max(4000).optional(),
  sort: z.enum(['name', 'created_at', 'updated_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
});
export const objectPath = z.object({ path: name });
export const uploadLink = z.object({ path: name, replace: z.boolean().default(false) });
export const shareLink = z.object({ path: name, seconds: z.number().int().min(1).max(31_536_000) });
export const objectMove = z.object({ from: name, to: name, bucket: name.optional() });
export const objectRemove = z.object({
  paths: z.array(name).max(1000).default([]),
  /** With their slash: everything below goes. */
  folders: z.array(name.endsWith('/')).max(100).default([]),
});
