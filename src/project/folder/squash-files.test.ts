import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFiles } from './squash-files.ts';

function folder(): { dir: string; paths: string[]; backup: string } {
  const root = mkdtempSync(join(tmpdir(), 'plinth-squash-'));
  onTestFinished(() => {
    chmodSync(root, 0o700);
    rmSync(root, { recursive: true, force: true });
  });
  const dir = join(root, 'migrations');
  mkdirSync(dir);
  const paths = ['1_a.sql', '2_b.sql', '3_c.sql'].map((name) => join(dir, name));
  for (const path of paths) writeFileSync(path, `old ${path.at(-7)}`);
  return { dir, paths, backup: join(root, 'backup') };
}

test('one file remains, and all files have copies', () => {
  const { dir, paths, backup } = folder();
  replaceFiles(paths, 'new', backup);
  expect(readdirSync(dir)).toEqual(['3_c.sql']);
  expect(readFileSync(join(dir, '3_c.sql'), 'utf8')).toBe('new');
  expect(readdirSync(backup)).toEqual(['1_a.sql', '2_b.sql', '3_c.sql']);
  expect(readFileSync(join(backup, '3_c.sql'), 'utf8')).toBe('old 3');
});

test('a failure halfway restores the original files', () => {
  const { dir, paths, backup } = folder();
  const [first = '', , last = ''] = paths;
  // The second removal of the same file fails.
  expect(() => replaceFiles([first, first, last], 'new', backup)).toThrow('ENOENT');
  expect(readdirSync(dir)).toEqual(['1_a.sql', '2_b.sql', '3_c.sql']);
  expect(readFileSync(first, 'utf8')).toBe('old 1');
  expect(readFileSync(last, 'utf8')).toBe('old 3');
});

test('nothing changes if the copies fail', () => {
  const { dir, paths, backup } = folder();
  writeFileSync(backup, 'a file');
  expect(() => replaceFiles(paths, 'new', backup)).toThrow();
  expect(readdirSync(dir)).toEqual(['1_a.sql', '2_b.sql', '3_c.sql']);
  expect(readFileSync(paths[2] ?? '', 'utf8')).toBe('old 3');
});
