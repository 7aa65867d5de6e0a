/**
 * Serves transformed images from the cache. An image that isn't cached is generated once for all concurrent requests.
 */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Logger } from '../../../base/kernel/log.ts';
import { thisMachine } from '../../../base/shared/machine.ts';
import type { ObjectBackend } from '../backend/types.ts';
import { chooseFormat } from '../core/picture.ts';
import { printTransform, type Transform } from '../core/transform.ts';
import { BytesMissingError, StorageError } from '../errors.ts';
import { createPictureCache } from './cache.ts';
import { makePicture, maxSourceBytes, type Picture } from './picture.ts';

interface PictureRequest {
  /** The version of the source object. */
  readonly version: string;
  readonly transform: Transform;
  readonly accept: string | undefined;
}

export interface Renderer {
  /**
   * Returns the transformed image. The result's `key` distinguishes the image from other images of the same object.
   * @throws {StorageError} NoSuchKey (BytesMissingError), ImageUnsupported, ImageTooLarge, ImageTooManyPixels,
   * ImageTimeout, ImageBusy
   */
  render(request: PictureRequest): Promise<Picture & { readonly key: string }>;
  /** Removes the images of deleted versions. */
  drop(versions: readonly string[]): Promise<void>;
}

const cacheBytes = 256 * 1024 * 1024;
const maxWaitingPictures = 100;

export function createRenderer(
  backend: Pick<ObjectBackend, 'open'>,
  cacheDir: string,
  log: Logger,
): Renderer {
  const cache = createPictureCache(cacheDir, cacheBytes);
  const gate = createGate(Math.max(1, Math.min(4, thisMachine().cores - 1)), maxWaitingPictures);
  const inFlight = new Map<string, Promise<Picture>>();

  async function make(request: PictureRequest, key: string): Promise<Picture> {
    const { version, transform, accept } = request;
    const known = await cache.find(version, key);
    if (known) return known;
    return gate(async () => {
      const picture = await makePicture(await readSource(backend, version), transform, accept, (message) =>
        log.info({}, message),
      );
      await cache.keep(version, key, picture);
      return picture;
    });
  }

  return {
    async render(request) {
      const key = keyOf(request);
      const name = `${request.version}/${key}`;
      let picture = inFlight.get(name);
      if (!picture) {
        picture = make(request, key).finally(() => inFlight.delete(name));
        inFlight.set(name, picture);
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

/**
 * Returns the cache key. The key contains the selected format instead of the `Accept` header, so different browsers
 * share images.
 */
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

export class GateFullError extends Error {
  constructor() {
    super('Too many image transformations are already waiting');
    this.name = 'GateFullError';
  }
}

/**
 * Runs up to `parallel` tasks concurrently, because image processing uses CPU time and memory that other requests need.
 * @throws {GateFullError} if `waiting` tasks are already queued
 */
type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(parallel: number, waiting: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= parallel) {
      if (queue.length >= waiting) throw new GateFullError();
      // When a task ends, its slot passes to the next task in the queue, so `running` doesn't change.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
