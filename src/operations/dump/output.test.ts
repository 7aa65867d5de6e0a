import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, fileOutput } from './output.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-dump-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a file appears only when it is complete, and only its owner can read it', async () => {
  const path = join(folder, 'dump.sql');
  const output = await fileOutput(path);
  const line = `${'x'.repeat(1000)}\n`;
  for (let count = 0; count < 300; count++) await output.push(line);
  await output.push(Buffer.alloc(100_000, 'y'));
  await output.write('end');
  expect(readdirSync(folder)).not.toContain('dump.sql');
  await output.finish();
  expect(readdirSync(folder)).toEqual(['dump.sql']);
  expect(readFileSync(path, 'utf8')).toBe(`${line.repeat(300)}${'y'.repeat(100_000)}end`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('discarding a file removes everything that was written', async () => {
  const output = await fileOutput(join(folder, 'dump.sql'));
  await output.write('half');
  await output.discard();
  expect(readdirSync(folder)).toEqual([]);
});

test('a missing folder is reported', async () => {
  await expect(fileOutput(join(folder, 'missing', 'dump.sql'))).rejects.toMatchObject({
    code: 'file_unwritable',
  });
});

test('a file whose last write fails isn’t complete, and the reason is the first error', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const stream = new Writable({
    write: (_chunk, _encoding, done) => void setImmediate(done, full),
  });
  stream.on('error', () => undefined);
  stream.write('the last rows');
  await expect(ended(stream)).rejects.toBe(full);
  // The stream has already failed, so it doesn't emit the error again.
  await expect(ended(stream)).rejects.toBe(full);
});
