/** Tests the file backend in isolation: what it stores, and what a crash at each step leaves behind. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileBackend } from '../../src/services/storage/backend/file.ts';
import { createOwners } from '../../src/services/storage/backend/owners.ts';
import { BodyTooLargeError, type ObjectBackend } from '../../src/services/storage/backend/types.ts';
import type { ByteStream } from '../../src/services/storage/byte-stream.ts';

let root: string;
let backend: ObjectBackend;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'plinth-files-'));
  backend = createFileBackend(root);
});
afterEach(async () => {
  await backend.close();
  await rm(root, { recursive: true, force: true });
});

const chunks = async function* (bytes: Buffer, size = 10_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
const bytesOf = (body: Buffer | ByteStream) => (Buffer.isBuffer(body) ? body : buffer(body));
/** The contents of the intent files, excluding empty files, which are kept for reuse. */
const notes = async () =>
  Promise.all(
    (await readdir(join(root, 'intents'))).map((name) => readFile(join(root, 'intents', name), 'utf8')),
  );
const left = async () => ({
  objects: (await readdir(join(root, 'objects'), { recursive: true })).filter((name) => name.includes('-'))
    .length,
  partial: (await readdir(join(root, 'partial'))).length,
  intents: (await notes()).filter((text) => text !== '').length,
});
async function sizeOf(files: ObjectBackend, version: string): Promise<number | undefined> {
  const body = await files.open(version);
  await body?.close();
  return body?.sizeBytes;
}
/** Opens the backend as a new process would, after all earlier processes that used this folder have died. */
const afterCrash = (): ObjectBackend =>
  createFileBackend(root, { ...createOwners(join(root, 'owners')), isDead: async () => true });
const nothing = async () => new Set<string>();

test('bodies of any size are returned completely and in parts', async () => {
  for (const size of [0, 1, 64 * 1024, 64 * 1024 + 1, 256 * 1024, 256 * 1024 + 1, 700_000]) {
    const version = randomUUID();
    const bytes = randomBytes(size);
    const stored = await backend.write(version, chunks(bytes), size);
    expect(stored.sizeBytes).toBe(size);
    const whole = await backend.open(version);
    expect((await bytesOf((await whole?.read()) ?? Buffer.from('none'))).equals(bytes)).toBe(true);
    if (size < 2) continue;
    const part = await backend.open(version);
    const range = { start: 1, end: size - 1 };
    expect((await bytesOf((await part?.read(range)) ?? Buffer.from('none'))).equals(bytes.subarray(1))).toBe(
      true,
    );
  }
});

test('a body that is too large doesn’t leave anything behind', async () => {
  await expect(backend.write(randomUUID(), chunks(randomBytes(101), 10), 100)).rejects.toThrow(
    BodyTooLargeError,
  );
  const failing = async function* () {
    yield Buffer.from('x');
    throw new Error('the network');
  };
  await expect(backend.write(randomUUID(), failing(), 100)).rejects.toThrow('the network');
  await expect.poll(left).toEqual({ objects: 0, partial: 0, intents: 0 });
});

test('a copy has a separate body', async () => {
  const [from, to] = [randomUUID(), randomUUID()];
  const original = await backend.write(from, chunks(Buffer.from('hello')), 5);
  expect((await backend.copy(from, to))?.etag).toBe(original.etag);
  const intent = await backend.announce([]);
  await intent.settle([from]);
  expect(await backend.open(from)).toBeUndefined();
  expect(await sizeOf(backend, to)).toBe(5);
  expect(await backend.copy(from, randomUUID())).toBeUndefined();
  expect((await left()).partial).toBe(0);
});

test.each(['../../../etc/passwd', '', '.', 'objects', 'a\0b', '/etc/passwd'])(
  '%j isn’t accepted as a body’s name',
  async (version) => {
    expect(await backend.open(version)).toBeUndefined();
    expect(await backend.copy(version, randomUUID())).toBeUndefined();
    await expect(backend.write(version, chunks(Buffer.from('x')), 1)).rejects.toThrow();
  },
);

test('a crash before the row is written removes everything, and a crash after it keeps everything', async () => {
  const [lost, kept] = [randomUUID(), randomUUID()];
  for (const version of [lost, kept]) {
    await backend.announce([version]);
    await backend.write(version, chunks(Buffer.from('x')), 1);
  }
  const half = randomUUID();
  await backend.announce([half]);
  await writeFile(join(root, 'partial', half), 'hal');

  const next = afterCrash();
  const report = await next.recover(
    async (versions) => new Set(versions.filter((version) => version === kept)),
  );
  expect(report).toEqual({ settledIntents: 1, removedVersions: 2 });
  await expect.poll(left).toEqual({ objects: 1, partial: 0, intents: 0 });
  expect(await sizeOf(next, kept)).toBe(1);
});

test('after a crash during a deletion, the row determines whether the object exists', async () => {
  const [gone, stays] = [randomUUID(), randomUUID()];
  for (const version of [gone, stays]) await backend.write(version, chunks(Buffer.from('x')), 1);
  for (const version of [gone, stays]) await (await backend.announce([])).giveUp([version, 'not-ours']);
  const next = afterCrash();
  await next.recover(async (versions) => new Set(versions.filter((version) => version === stays)));
  expect(await next.open(gone)).toBeUndefined();
  expect(await sizeOf(next, stays)).toBe(1);
});

test('recovery doesn’t affect work in progress or stored objects without an intent', async () => {
  const [running, stored] = [randomUUID(), randomUUID()];
  await backend.write(stored, chunks(Buffer.from('x')), 1);
  const intent = await backend.announce([running]);
  await backend.write(running, chunks(Buffer.from('x')), 1);
  expect(await backend.recover(nothing)).toEqual({ settledIntents: 0, removedVersions: 0 });
  await intent.settle([]);
  await expect.poll(left).toEqual({ objects: 2, partial: 0, intents: 0 });
});

test('intents share files, which are emptied and reused, and removed with the last intent', async () => {
  const linesOf = (text: string) => text.split('\n').length - 1;
  for (let turn = 0; turn < 3; turn += 1) {
    const intent = await backend.announce([randomUUID()]);
    await intent.giveUp([randomUUID()]);
    expect((await notes()).map(linesOf)).toEqual([2]);
    await intent.settle([]);
    await expect.poll(notes).toEqual(['']);
  }
  const several = await Promise.all(Array.from({ length: 100 }, () => backend.announce([randomUUID()])));
  expect((await notes()).map(linesOf).sort()).toEqual([36, 64]);
  const [last, ...others] = several;
  for (const intent of others) await intent.settle([]);
  await last?.leave();
  await backend.close();
  expect(await notes()).toHaveLength(1);
});

test('recovery doesn’t affect an intent that was settled while its file was in use', async () => {
  const [settled, open] = [randomUUID(), randomUUID()];
  const [first] = await Promise.all([backend.announce([settled]), backend.announce([open])]);
  for (const version of [settled, open]) await backend.write(version, chunks(Buffer.from('x')), 1);
  await first.settle([]);
  await expect.poll(async () => (await notes()).join('')).toContain(`-${settled}`);
  // The row of the settled version doesn't exist either, for example because the wrong database was configured.
  expect(await afterCrash().recover(nothing)).toEqual({ settledIntents: 1, removedVersions: 1 });
  expect(await sizeOf(backend, settled)).toBe(1);
  expect(await sizeOf(backend, open)).toBeUndefined();
});

test('files kept for intents are removed when their process has died', async () => {
  await (await backend.announce([randomUUID()])).settle([]);
  await expect.poll(notes).toEqual(['']);
  expect(await afterCrash().recover(nothing)).toEqual({ settledIntents: 0, removedVersions: 0 });
  expect(await notes()).toEqual([]);
});

test('nothing is removed while the database doesn’t respond', async () => {
  const version = randomUUID();
  await backend.announce([version]);
  await backend.write(version, chunks(Buffer.from('x')), 1);
  const next = afterCrash();
  const silent = () => Promise.reject(new Error('no database'));
  await expect(next.recover(silent)).rejects.toThrow('no database');
  await expect.poll(left).toEqual({ objects: 1, partial: 0, intents: 1 });
});

describe('a multipart body', () => {
  const sent = Array.from({ length: 3 }, () => ({ id: randomUUID(), bytes: randomBytes(150_000) }));
  const send = (upload: string) =>
    Promise.all(
      sent.map(async ({ id, bytes }) => ({
        id,
        ...(await backend.writePart(upload, id, chunks(bytes), bytes.length)),
      })),
    );
  const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();

  test('is one body once it is assembled, read completely and in ranges', async () => {
    const [upload, version, copied] = [randomUUID(), randomUUID(), randomUUID()];
    const parts = (await send(upload)).toReversed();
    const whole = Buffer.concat(sent.toReversed().map(({ bytes }) => bytes));
    expect(await backend.open(version)).toBeUndefined();
    const etag = md5(Buffer.concat(sent.toReversed().map(({ bytes }) => md5(bytes)))).toString('hex');
    expect(await backend.assemble(upload, parts, version)).toMatchObject({
      sizeBytes: whole.length,
      etag: `"${etag}-3"`,
    });
    expect(await backend.copy(version, copied)).toMatchObject({ sizeBytes: whole.length });
    await (await backend.announce([upload])).settle([upload]);
    for (const one of [version, copied]) {
      const all = await backend.open(one);
      expect((await bytesOf((await all?.read()) ?? Buffer.from('none'))).equals(whole)).toBe(true);
      for (const [start, end] of [
        [0, 0],
        [149_999, 150_000],
        [10, 449_998],
        [300_000, 449_999],
      ] as const) {
        const body = await (await backend.open(one))?.read({ start, end });
        expect((await bytesOf(body ?? Buffer.from('none'))).equals(whole.subarray(start, end + 1))).toBe(
          true,
        );
      }
    }
    await (await backend.announce([])).settle([version, copied]);
    await expect.poll(left).toEqual({ objects: 0, partial: 0, intents: 0 });
    expect(await readdir(join(root, 'uploads'))).toEqual([]);
  });

  test('with a missing part isn’t assembled, and can be tried again', async () => {
    const [upload, version] = [randomUUID(), randomUUID()];
    const parts = await send(upload);
    const lost = { ...parts[0], id: randomUUID(), sizeBytes: 1, etag: '""' };
    expect(await backend.assemble(upload, [...parts, lost], version)).toBeUndefined();
    await expect.poll(left).toEqual({ objects: 0, partial: 0, intents: 0 });
    expect(await backend.assemble(upload, parts, version)).toMatchObject({ sizeBytes: 450_000 });
  });

  test('that was rejected or replaced doesn’t leave bytes behind', async () => {
    const [upload, part] = [randomUUID(), randomUUID()];
    await expect(backend.writePart(upload, part, chunks(randomBytes(9), 3), 8)).rejects.toThrow(
      BodyTooLargeError,
    );
    await backend.writePart(upload, part, chunks(randomBytes(9)), 9);
    await backend.removeParts(upload, [part]);
    expect(await readdir(join(root, 'uploads', upload))).toEqual([]);
    await expect(backend.writePart(upload, '../x', chunks(randomBytes(9)), 9)).rejects.toThrow();
  });

  test('is kept until its last reader has finished', async () => {
    const [upload, version] = [randomUUID(), randomUUID()];
    await backend.assemble(upload, await send(upload), version);
    await (await backend.announce([upload])).settle([upload]);
    const whole = Buffer.concat(sent.map(({ bytes }) => bytes));
    const [first, second] = [await backend.open(version), await backend.open(version)];
    const [unread, bytes] = [await first?.read(), await second?.read()];
    const removal = (await backend.announce([])).settle([version]);
    expect(await backend.open(version)).toBeUndefined();
    if (unread && 'destroy' in unread) unread.destroy?.();
    expect((await bytesOf(bytes ?? Buffer.from('none'))).equals(whole)).toBe(true);
    await removal;
    await expect.poll(left).toEqual({ objects: 0, partial: 0, intents: 0 });
  });

  test('is removed completely while more parts arrive', async () => {
    for (let round = 0; round < 4; round += 1) {
      const upload = randomUUID();
      const sendOne = () => backend.writePart(upload, randomUUID(), chunks(randomBytes(9)), 9);
      await sendOne();
      for (let other = 0; other < 200; other += 1)
        await writeFile(join(root, 'uploads', upload, randomUUID()), '');
      let isRemoved = false;
      // A late part is either rejected or recreates the folder.
      const late = Array.from({ length: 12 }, async () => {
        while (!isRemoved) await sendOne().catch(() => undefined);
      });
      const removal = (await backend.announce([])).settle([upload]).finally(() => {
        isRemoved = true;
      });
      await expect(removal).resolves.toBeUndefined();
      await Promise.all(late);
      await (await backend.announce([])).settle([upload]);
    }
    expect(await readdir(join(root, 'uploads'))).toEqual([]);
    await expect.poll(left).toEqual({ objects: 0, partial: 0, intents: 0 });
  });

  test('survives a crash during assembly', async () => {
    const [upload, version] = [randomUUID(), randomUUID()];
    const parts = await send(upload);
    await backend.announce([version]);
    await backend.assemble(upload, parts, version);
    const next = afterCrash();
    await next.recover(async () => new Set([upload]));
    expect(await next.open(version)).toBeUndefined();
    expect(await next.assemble(upload, parts, version)).toMatchObject({ sizeBytes: 450_000 });
  });
});
