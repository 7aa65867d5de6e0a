/** Reads the regular files from an in-memory tar archive (POSIX.1-1988 ustar). */

export interface TarEntry {
  readonly path: string;
  readonly content: Buffer;
}

const blockBytes = 512;

/**
 * Yields the regular files of an archive.
 *
 * @example [...tarEntries(gunzipSync(archive))].map(({ path }) => path); // ['share/pgtap.control']
 */
export function* tarEntries(archive: Buffer): Generator<TarEntry> {
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const sizeBytes = Number.parseInt(textOf(header, 124, 12).trim() || '0', 8);
    const start = at + blockBytes;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === '0' || type === '\0') {
      const [name, prefix] = [textOf(header, 0, 100), textOf(header, 345, 155)];
      yield {
        path: prefix === '' ? name : `${prefix}/${name}`,
        content: archive.subarray(start, start + sizeBytes),
      };
    }
    at = start + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
}

const textOf = (header: Buffer, from: number, length: number): string =>
  header
    .subarray(from, from + length)
    .toString('utf8')
    .split('\0', 1)[0] ?? '';
