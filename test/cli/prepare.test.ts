/** Tests `scripts/prepare.mjs`, which runs first in a new clone. The test uses a package without dependencies. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeProject } from '../config/project-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

const lock = (version: string) =>
  JSON.stringify({ name: 'x', version, lockfileVersion: 3, packages: { '': { name: 'x', version } } });

function prepare(dir: string, ...args: string[]) {
  const script = join(dir, 'scripts/prepare.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function cloneWith(version: string): string {
  const dir = makeProject({
    'package.json': '{"name":"x","version":"1.0.0"}',
    'package-lock.json': lock(version),
  });
  mkdirSync(join(dir, 'scripts'));
  copyFileSync(new URL('../../scripts/prepare.mjs', import.meta.url), join(dir, 'scripts/prepare.mjs'));
  return dir;
}

test('dependencies are installed once, and again when the lock file changes, without output to stdout', () => {
  const dir = cloneWith('1.0.0');
  const first = prepare(dir, '--install-only');
  expect(first).toMatchObject({ status: 0, stdout: '' });
  expect(first.stderr).toContain('Installing dependencies');
  expect(existsSync(join(dir, 'node_modules/.plinth-lock'))).toBe(true);
  expect(prepare(dir, '--install-only')).toEqual({ status: 0, stdout: '', stderr: '' });

  writeFileSync(join(dir, 'package-lock.json'), lock('1.0.1'));
  writeFileSync(join(dir, 'package.json'), '{"name":"x","version":"1.0.1"}');
  expect(prepare(dir, '--install-only').stderr).toContain('Installing dependencies');
});

test('a failed installation is reported and isn’t recorded as done', () => {
  const dir = cloneWith('1.0.0');
  writeFileSync(join(dir, 'package-lock.json'), 'not a lock file');
  const { status, stderr } = prepare(dir, '--install-only');
  expect(status).toBe(1);
  expect(stderr).toContain('The dependencies could not be installed');
  expect(existsSync(join(dir, 'node_modules/.plinth-lock'))).toBe(false);
});
