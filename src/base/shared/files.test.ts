import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesBelow } from './files.ts';

test('files in subfolders are included, but symbolic links aren’t followed', () => {
  const root = mkdtempSync(join(tmpdir(), 'plinth-files-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(join(root, 'outside'));
  for (const path of ['a/2.txt', 'a/b/1.txt', 'outside/x.txt']) writeFileSync(join(root, path), '');
  symlinkSync(join(root, 'a'), join(root, 'a/loop'));
  symlinkSync(join(root, 'outside'), join(root, 'a/link'));
  symlinkSync(join(root, 'outside/x.txt'), join(root, 'a/file'));
  expect(filesBelow(join(root, 'a'))).toEqual([join(root, 'a/2.txt'), join(root, 'a/b/1.txt')]);
});
