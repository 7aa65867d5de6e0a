/**
 * Builds a response body from chunks without blocking other requests. A small body is built in memory, and a large one
 * is built in a file.
 */
import type { Cancellation, RowStore } from '../../../platform/database/types.ts';
import { type Body, storedBody } from '../core/body.ts';
import { inSlices } from '../slices.ts';
import type { ResponseStorage } from './storage.ts';

const PART_CHARS = 64 * 1024;
const KEPT_BYTES = 1024 * 1024;

/** Builds the body. `RestResponse` describes `release`. @throws {RestError} PGRSTX01, PGRSTX02 */
export async function writeDocument(
  chunks: Generator<string>,
  { document }: ResponseStorage,
  signal: Cancellation | undefined,
): Promise<{ body: Body; release: (() => void) | undefined }> {
  let text = '';
  let size = 0;
  let parts: Buffer[] = [];
  let store: RowStore | undefined;
  let paused: PromiseWithResolvers<void> | undefined;
  const flow = {
    pause: () => {
      paused ??= Promise.withResolvers();
    },
    resume: () => {
      paused?.resolve();
      paused = undefined;
    },
    refuse: () => {},
  };
  const put = (part: Buffer) => {
    store?.begin(part.length);
    store?.write(part, 0, part.length);
  };
  const flush = () => {
    parts.push(Buffer.from(text));
    size += parts.at(-1)?.length ?? 0;
    text = '';
    if (size > KEPT_BYTES) store ??= document.open(flow, signal);
    if (store === undefined) return;
    parts.forEach(put);
    parts = [];
  };
  try {
    await inSlices(chunks, (chunk) => {
      text += chunk;
      if (text.length >= PART_CHARS) flush();
      if (store?.failure !== undefined) throw store.failure;
      return paused?.promise;
    });
    flush();
    const stored = store;
    if (stored === undefined) return { body: parts, release: undefined };
    await stored.finish();
    return { body: storedBody(stored), release: () => stored.free() };
  } catch (error) {
    store?.free();
    throw error;
  }
}
