/**
 * Stores the progress of multipart uploads in this browser. After a reload, the page no longer has the file, but the
 * upload resumes if the user selects the file again. The file is recognized by its size, type and modification time,
 * which are known without reading its content.
 */

/** The server discards an upload after a day. */
const lifetimeMs = 24 * 60 * 60 * 1000;
const max = 50;
const key = 'plinth-uploads';

interface StoredUpload {
  readonly name: string;
  readonly address: string;
  readonly at: number;
}

export function recallUpload(bucket: string, path: string, file: File): string | undefined {
  const name = nameOf(bucket, path, file);
  return read().find((upload) => upload.name === name)?.address;
}

export function rememberUpload(bucket: string, path: string, file: File, address: string): void {
  const name = nameOf(bucket, path, file);
  write(
    [{ name, address, at: Date.now() }, ...read().filter((upload) => upload.name !== name)].slice(0, max),
  );
}

export function forgetUpload(bucket: string, path: string, file: File): void {
  const name = nameOf(bucket, path, file);
  write(read().filter((upload) => upload.name !== name));
}

const nameOf = (bucket: string, path: string, file: File): string =>
  JSON.stringify([bucket, path, file.size, file.type, file.lastModified]);

function read(): readonly StoredUpload[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter(isStoredUpload) : [];
  } catch {
    return [];
  }
}

function isStoredUpload(value: unknown): value is StoredUpload {
  const { name, address, at } = (value ?? {}) as Partial<StoredUpload>;
  // Only URLs with the page's own origin are accepted, because requests to these URLs contain a token.
  return (
    typeof name === 'string' &&
    typeof address === 'string' &&
    address.startsWith('/storage/v1/upload/resumable/sign/') &&
    typeof at === 'number' &&
    Date.now() - at < lifetimeMs
  );
}

function write(uploads: readonly StoredUpload[]): void {
  try {
    if (uploads.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(uploads));
  } catch {
    // If browser storage is full or disabled, interrupted uploads can be resumed only until the page is closed.
  }
}
