/**
 * Remembers the progress of multipart uploads in this browser. A reload loses the file, but the upload resumes if the
 * user selects the file again. A file is identified by what the browser knows without reading it.
 */

/** The server discards an upload after a day. */
const lifetimeMs = 24 * 60 * 60 * 1000;
const most = 50;
const key = 'plinth-uploads';

interface Place {
  readonly name: string;
  readonly address: string;
  readonly at: number;
}

export function recallPlace(bucket: string, path: string, file: File): string | undefined {
  const name = nameOf(bucket, path, file);
  return read().find((place) => place.name === name)?.address;
}

export function rememberPlace(bucket: string, path: string, file: File, address: string): void {
  const name = nameOf(bucket, path, file);
  write([{ name, address, at: Date.now() }, ...read().filter((place) => place.name !== name)].slice(0, most));
}

export function forgetPlace(bucket: string, path: string, file: File): void {
  const name = nameOf(bucket, path, file);
  write(read().filter((place) => place.name !== name));
}

const nameOf = (bucket: string, path: string, file: File): string =>
  JSON.stringify([bucket, path, file.size, file.type, file.lastModified]);

function read(): readonly Place[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? value.filter(isPlace) : [];
  } catch {
    return [];
  }
}

function isPlace(value: unknown): value is Place {
  const { name, address, at } = (value ?? {}) as Partial<Place>;
  // Only our own addresses are accepted, because a token is sent there.
  return (
    typeof name === 'string' &&
    typeof address === 'string' &&
    address.startsWith('/storage/v1/upload/resumable/sign/') &&
    typeof at === 'number' &&
    Date.now() - at < lifetimeMs
  );
}

function write(places: readonly Place[]): void {
  try {
    if (places.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(places));
  } catch {
    // Browser storage is full or disabled, so uploads can be resumed only on this page.
  }
}
