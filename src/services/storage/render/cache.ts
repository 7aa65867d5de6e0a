/**
 * Caches transformed images as files `VERSION/KEY.FORMAT` in a folder. When the folder becomes too large, the least
 * recently used images are removed. A version never changes, so cached images are never stale. When an object is
 * deleted, its cached images are removed too.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isVersion } from '../backend/file-paths.ts';
import { isFullDisk, isMissing } from '../backend/file-system.ts';
import type { PictureFormat } from '../core/picture.ts';
import type { Picture } from './picture.ts';

export interface PictureCache {
  find(version: string, key: string): Promise<Picture | undefined>;
  keep(version: string, key: string, picture: Picture): Promise<void>;
  drop(versions: readonly string[]): Promise<void>;
}

interface Entry {
  readonly format: PictureFormat;
  readonly sizeBytes: number;
}

export function createPictureCache(directory: string, maxBytes: number): PictureCache {
  /** The cached images, keyed by `VERSION/KEY`, with the least recently used first. */
  let index: Promise<Map<string, Entry>> | undefined;
  let heldBytes = 0;

  async function readIndex(): Promise<Map<string, Entry>> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const found: (Entry & { readonly name: string; readonly usedAt: number })[] = [];
    for (const version of await readdir(directory)) {
      if (!isVersion(version)) continue;
      for (const file of await readdir(join(directory, version))) {
        const [key = '', format] = file.split('.');
        const path = join(directory, version, file);
        const stats = await stat(path);
        if (!isFormat(format)) await rm(path, { force: true });
        else found.push({ name: `${version}/${key}`, format, sizeBytes: stats.size, usedAt: stats.mtimeMs });
      }
    }
    found.sort((a, b) => a.usedAt - b.usedAt);
    heldBytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return new Map(found.map(({ name, format, sizeBytes }) => [name, { format, sizeBytes }]));
  }

  const entries = (): Promise<Map<string, Entry>> => {
    index ??= readIndex();
    return index;
  };
  const forget = (held: Map<string, Entry>, name: string): Entry | undefined => {
    const entry = held.get(name);
    if (entry) heldBytes -= entry.sizeBytes;
    held.delete(name);
    return entry;
  };

  return {
    async find(version, key) {
      const held = await entries();
      const name = `${version}/${key}`;
      const entry = held.get(name);
      if (!entry) return undefined;
      try {
        const bytes = await readFile(join(directory, `${name}.${entry.format}`));
        if (held.delete(name)) held.set(name, entry);
        return { format: entry.format, bytes };
      } catch (error) {
        if (!isMissing(error)) throw error;
        forget(held, name);
        return undefined;
      }
    },

    async keep(version, key, { format, bytes }) {
      if (!isVersion(version) || bytes.byteLength > maxBytes) return;
      const held = await entries();
      const name = `${version}/${key}`;
      const draft = join(directory, version, `${randomUUID()}.draft`);
      try {
        await mkdir(join(directory, version), { recursive: true, mode: 0o700 });
        await writeFile(draft, bytes, { mode: 0o600, flush: true });
        await rename(draft, join(directory, `${name}.${format}`));
      } catch (error) {
        await rm(draft, { force: true });
        // Errors from a full disk or a missing folder are ignored because the image can be generated again. A missing
        // folder means that the object was deleted while its image was generated.
        if (isFullDisk(error) || isMissing(error)) return;
        throw error;
      }
      forget(held, name);
      held.set(name, { format, sizeBytes: bytes.byteLength });
      heldBytes += bytes.byteLength;
      for (const oldest of held.keys()) {
        if (heldBytes <= maxBytes) break;
        const entry = forget(held, oldest);
        if (entry) await rm(join(directory, `${oldest}.${entry.format}`), { force: true });
      }
    },

    async drop(versions) {
      if (versions.length === 0) return;
      const held = await entries();
      const gone = new Set(versions);
      for (const name of [...held.keys()]) if (gone.has(name.slice(0, 36))) forget(held, name);
      for (const version of versions)
        if (isVersion(version)) await rm(join(directory, version), { recursive: true, force: true });
    },
  };
}

function isFormat(text: string | undefined): text is PictureFormat {
  return text === 'jpeg' || text === 'png' || text === 'webp' || text === 'gif' || text === 'avif';
}
