/** Pictures on request: from the cache, or made once for all who ask at the same time. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { buffer } from 'node:stream/consumers';
import type { ObjectBackend } from '../backend/types.ts';
import { chooseFormat } from '../core/picture-format.ts';
import { printTransform, type Transform } from '../core/transform.ts';
import { StorageError } from '../errors.ts';
import { BytesMissingError } from '../readable-object.ts';
import { createPictureCache } from './cache.ts';
import { createGate, GateFullError } from './gate.ts';
import { makePicture, maxSourceBytes, type Picture } from './picture.ts';

export interface PictureRequest {
  /** Of the object that it is made of. */
  readonly version: string;
  readonly transform: Transform;
  readonly accept: string | undefined;
}

export interface Renderer {
  /**
   * `key` tells this picture from others of the same object.
   * @throws {StorageError} NoSuchKey (BytesMissingError), ImageUnsupported, ImageTooLarge, ImageTooManyPixels, ImageTimeout, ImageBusy
   */
  render(request: PictureRequest): Promise<Picture & { readonly key: string }>;
  /** These versions are gone, and what was made of them with them. */
  drop(versions: readonly string[]): Promise<void>;
}

export const cacheBytes = 256 * 1024 * 1024;
export const maxWaitingPictures = 100;

export function createRenderer(backend: Pick<ObjectBackend, 'open'>, cacheDir: string): Renderer {
  const cache = createPictureCache(cacheDir, cacheBytes);
  const gate = createGate(Math.max(1, Math.min(4, availableParallelism() - 1)), maxWaitingPictures);
  const underWay = new Map<string, Promise<Picture>>();

  async function make(request: PictureRequest, key: string): Promise<Picture> {
    const { version, transform, accept } = request;
    const known = await cache.find(version, key);
    if (known) return known;
    return gate(async () => {
      const picture = await makePicture(await readSource(backend, version), transform, accept);
      await cache.keep(version, key, picture);
      return picture;
    });
  }

  return {
    async render(request) {
      const key = keyOf(request);
      const name = `${request.version}/${key}`;
      let picture = underWay.get(name);
      if (!picture) {
        picture = make(request, key).finally(() => underWay.delete(name));
        underWay.set(name, picture);
      }
      try {
        return { ...(await picture), key };
      } catch (error) {
        if (error instanceof GateFullError) throw new StorageError('ImageBusy', undefined, { cause: error });
        throw error;
      }
    },
    drop: (versions) => cache.drop(versions),
  };
}

/** Of `Accept` only what it chooses counts, so that every browser's own list does not make a picture of its own. */
function keyOf({ transform, accept }: PictureRequest): string {
  const format = chooseFormat(transform.format, accept, undefined);
  return createHash('sha256')
    .update(`${printTransform(transform)} ${format}`)
    .digest('hex')
    .slice(0, 32);
}

async function readSource(backend: Pick<ObjectBackend, 'open'>, version: string): Promise<Buffer> {
  const body = await backend.open(version);
  if (!body) throw new BytesMissingError();
  if (body.sizeBytes > maxSourceBytes) {
    await body.close();
    throw new StorageError('ImageTooLarge');
  }
  const bytes = await body.read();
  return Buffer.isBuffer(bytes) ? bytes : buffer(bytes);
}
