/** Tests resumable uploads on disk: at which offset they continue, and when they are removed. */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StorageContext } from '../../src/services/storage/context.ts';
import { forgetExpired } from '../../src/services/storage/housekeeping.ts';
import { createFileStaging } from '../../src/services/storage/resumable/file-staging.ts';
import { uploadLifetimeMs } from '../../src/services/storage/resumable/lifecycle.ts';
import { createUploadLocks } from '../../src/services/storage/resumable/locks.ts';
import type { SharedLocks } from '../../src/services/storage/resumable/shared-locks.ts';
import type { Staging } from '../../src/services/storage/resumable/types.ts';

const backend = {
  write: () => {
    throw new Error('These tests don’t finish any upload');
  },
};
let directory: string;
let staging: Staging;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plinth-staging-'));
  staging = createFileStaging(directory, backend);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const signal = new AbortController().signal;
async function begin(createdAt = 0): Promise<string> {
  const id = randomUUID();
  const upload = {
    id,
    bucketId: 'b',
    key: '../../etc/passwd',
    metadata: {},
    beganBy: 'me',
    upsert: false,
    createdAt,
  };
  await staging.create(upload);
  expect(await staging.find(id)).toEqual(upload);
  return id;
}

test('bytes continue at their offset, even in another process', async () => {
  const id = await begin();
  const parts = ['one ', 'two ', 'three'];
  let offset = 0;
  for (const part of parts) {
    staging = createFileStaging(directory, backend);
    expect(await staging.offset(id)).toBe(offset);
    const added = await staging.append(id, Readable.from([Buffer.from(part)]), {
      offset,
      maxBytes: 100,
      signal,
    });
    offset += part.length;
    expect(added).toEqual({ offset, end: 'complete' });
  }
  expect(await readFile(join(directory, id), 'utf8')).toBe('one two three');
});

test('excess bytes are rejected, and the bytes that arrived of an interrupted body are kept', async () => {
  const id = await begin();
  const body = (): Readable => Readable.from([Buffer.from('1234'), Buffer.from('5678')]);
  expect(await staging.append(id, body(), { offset: 0, maxBytes: 6, signal })).toEqual({
    offset: 4,
    end: 'too large',
  });
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('ab');
      throw new Error('gone');
    })(),
  );
  expect(await staging.append(id, broken, { offset: 4, maxBytes: 6, signal })).toEqual({
    offset: 6,
    end: 'broken',
  });
  expect(await staging.offset(id)).toBe(6);
});

test.each(['../x', '', 'a', '..', `${randomUUID()}/../x`])(
  '%j isn’t accepted as an upload’s name',
  async (id) => {
    await expect(staging.find(id)).rejects.toThrow();
    await expect(staging.remove(id)).rejects.toThrow();
  },
);

/** These locks behave as if no other process existed. */
const alone: SharedLocks = {
  take: async () => ({ release: async () => true }),
  want: async () => undefined,
  close: async () => undefined,
};

async function ids(): Promise<string[]> {
  const names = await readdir(directory);
  return [...new Set(names.map((name) => name.slice(0, 36)))].sort();
}

test('an upload that has not changed for a day is deleted, unless it is in use', async () => {
  const [old, held, young] = [await begin(), await begin(), await begin()];
  const orphan = randomUUID();
  await appendFile(join(directory, orphan), 'bytes without a note');
  const dayAhead = new Date(Date.now() + uploadLifetimeMs);
  await utimes(join(directory, young), dayAhead, dayAhead);
  const locks = createUploadLocks(() => alone);
  const clock = { now: () => Date.now() + uploadLifetimeMs - 60_000 };
  const ctx = { resumable: { staging, locks }, clock } as unknown as StorageContext;
  await forgetExpired(ctx);
  expect(await ids()).toHaveLength(4);
  clock.now = () => Date.now() + uploadLifetimeMs + 60_000;
  await locks.hold(held, () => forgetExpired(ctx));
  expect(await ids()).toEqual([held, young].sort());
  expect(await staging.find(old)).toBeUndefined();
  clock.now = () => Date.now() + 2 * uploadLifetimeMs + 60_000;
  await forgetExpired(ctx);
  expect(await readdir(directory)).toEqual([]);
});
