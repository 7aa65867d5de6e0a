import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readMigrationFolder } from './files.ts';

/**
 * Returns the versions of the migrations that are applied from a folder with these entries. A name that ends in / is a
 * folder.
 */
function versionsOf(...entries: readonly string[]): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'migrations'));
  for (const entry of entries) {
    const path = join(dir, 'migrations', entry);
    if (entry.endsWith('/')) mkdirSync(path);
    else writeFileSync(path, '');
  }
  return readMigrationFolder(dir).files.map(({ version }) => version);
}

test.each([
  [
    ['001_init.sql', '002_more.sql'],
    ['001', '002'],
  ],
  [['0001_init.sql'], ['0001']],
  [['1_init.sql'], ['1']],
  [['20210101_init.sql'], ['20210101']],
  [['20211209000000_init.sql'], ['20211209000000']],
  [['20240101000000_init.sql'], ['20240101000000']],
  [['20210101000000_initial.sql'], ['20210101000000']],
  // This file is the only file that upstream skips. Upstream skips it only if it is the first entry of the folder.
  [['20211208235959_init.sql', '20240101000000_a.sql'], ['20240101000000']],
  [
    ['001_a.sql', '20210101000000_init.sql'],
    ['001', '20210101000000'],
  ],
  [['.gitkeep', '20210101000000_init.sql'], ['20210101000000']],
  [['1_folder/', '20210101000000_init.sql', 'README.md'], ['20210101000000']],
])('of %j, the versions %j are applied', (entries, versions) => {
  expect(versionsOf(...entries)).toEqual(versions);
});
