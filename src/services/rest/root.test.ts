import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, isStored } from './core/body.ts';
import { ResponseStorage } from './responses/storage.ts';
import { writeDocument } from './root.ts';

const MIB = 1024 * 1024;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plinth-answers-'));
});
afterAll(() => rm(dir, { recursive: true }));

function* lines(count: number): Generator<string> {
  for (let line = 0; line < count; line++) yield `line ${line} with an é\n`;
}

async function textOf(body: Body): Promise<string> {
  const parts: Buffer[] = [];
  if (isStored(body)) for await (const chunk of body.chunks()) parts.push(Buffer.from(chunk));
  else for (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString();
}

test('a small document stays in memory', async () => {
  const space = new ResponseStorage(dir, () => ({ responseBytes: MIB, totalBytes: MIB }));
  const { body, release } = await writeDocument(lines(100), space, undefined);
  expect(isStored(body)).toBe(false);
  expect(release).toBeUndefined();
  expect(await textOf(body)).toBe([...lines(100)].join(''));
  expect(space.used).toEqual({ memoryBytes: 0, fileBytes: 0 });
});

test('a large document is written to an unnamed file, which is released', async () => {
  const space = new ResponseStorage(dir, () => ({ responseBytes: 32 * MIB, totalBytes: 32 * MIB }));
  const { body, release } = await writeDocument(lines(300_000), space, undefined);
  expect(isStored(body)).toBe(true);
  expect(await readdir(dir)).toEqual([]);
  const text = await textOf(body);
  expect(text).toBe([...lines(300_000)].join(''));
  expect(isStored(body) && body.sizeBytes).toBe(Buffer.byteLength(text));
  expect(space.used.fileBytes).toBeGreaterThan(Buffer.byteLength(text) - 1);
  release?.();
  await expect.poll(() => space.used).toEqual({ memoryBytes: 0, fileBytes: 0 });
});

test('a document is rejected if it is too large or its client has disconnected', async () => {
  const space = new ResponseStorage(dir, () => ({ responseBytes: 2 * MIB, totalBytes: 32 * MIB }));
  await expect(writeDocument(lines(300_000), space, undefined)).rejects.toMatchObject({ code: 'PGRSTX01' });
  const gone = { aborted: true, reason: new Error('gone') };
  await expect(writeDocument(lines(300_000), space, gone)).rejects.toThrow('gone');
  await expect.poll(() => space.used).toEqual({ memoryBytes: 0, fileBytes: 0 });
});
