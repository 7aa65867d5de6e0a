import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bodyName } from '../core/names.ts';
import { openRepository, type Repository } from '../repository.ts';
import { bodySizes } from '../space.ts';
import { folderTarget } from '../target/folder.ts';
import type { BodyStore } from '../types.ts';
import { restoreBodies } from './restore-bodies.ts';

let dir: string;
let repository: Repository;
const stored = new Map<string, Buffer>();
const store: Pick<BodyStore, 'write'> = {
  async write(version, bytes) {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of bytes) chunks.push(chunk);
    } catch (cause) {
      throw new Error('The upload was interrupted', { cause });
    }
    stored.set(version, Buffer.concat(chunks));
  },
};

beforeEach(async () => {
  stored.clear();
  dir = mkdtempSync(join(tmpdir(), 'plinth-bodies-'));
  const options = { systemIdentifier: '1', isKnown: () => false };
  repository = await openRepository(folderTarget(dir), randomBytes(32), options);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('damaged and missing bodies are reported, and the other bodies are restored', async () => {
  const versions = Array.from({ length: 20 }, () => randomUUID());
  const content = randomBytes(200_000);
  for (const version of versions)
    await repository.writeBytes(bodyName(version), content, { compress: false });
  const [shortened, garbled, empty] = versions as [string, string, string];
  const missing = randomUUID();
  truncateSync(join(dir, bodyName(shortened)), 100_000);
  writeFileSync(join(dir, bodyName(garbled)), randomBytes(1000));
  writeFileSync(join(dir, bodyName(empty)), '');
  const sizes = await bodySizes(repository);
  const restored = await restoreBodies(repository, store, new Set([...versions, missing]), sizes);
  expect(restored).toMatchObject({ objects: 17, objectBytes: 17 * content.length, missing: [missing] });
  expect([...restored.damaged].sort()).toEqual([shortened, garbled, empty].sort());
  expect([...stored.keys()].sort()).toEqual(versions.slice(3).sort());
});

test('a storage error ends the restore after all writes have finished', async () => {
  const versions = Array.from({ length: 20 }, () => randomUUID());
  for (const version of versions) await repository.writeBytes(bodyName(version), Buffer.from('body'));
  let writing = 0;
  let begun = 0;
  const full: Pick<BodyStore, 'write'> = {
    async write() {
      writing += 1;
      begun += 1;
      await new Promise((resolve) => setTimeout(resolve, begun === 1 ? 1 : 50));
      writing -= 1;
      throw new Error('The disk is full');
    },
  };
  const restoring = restoreBodies(repository, full, new Set(versions), await bodySizes(repository));
  await expect(restoring).rejects.toThrow('The disk is full');
  expect({ writing, begun }).toEqual({ writing: 0, begun: 8 });
});
