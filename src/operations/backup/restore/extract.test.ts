import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BackupError } from '../errors.ts';
import { extract } from './extract.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plinth-extract-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function archive(): Promise<Buffer> {
  const tar = pack();
  for (let file = 0; file < 20; file++) tar.entry({ name: `folder/${file}` }, randomBytes(700));
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('wherever reading the archive fails, the error is the one of the source', async () => {
  const bytes = await archive();
  const damage = new BackupError('damaged', '(bases/x/data)');
  for (let length = 0, run = 0; length < bytes.length; length += 311, run++) {
    for (const size of [200, 512, 4096]) {
      const source = async function* (): AsyncGenerator<Buffer> {
        for (let at = 0; at < length; at += size) {
          yield bytes.subarray(at, Math.min(at + size, length));
          // Errors can arrive while an entry's file is being opened.
          if (run % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        throw damage;
      };
      await expect(extract(source(), join(dir, `${length}-${size}`))).rejects.toBe(damage);
    }
  }
});
