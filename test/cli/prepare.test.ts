/** Tests `scripts/prepare.mjs`, which runs first in a new clone. The test uses a package without dependencies. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';

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

test('packages that npm has already installed aren’t installed again', () => {
  const dir = cloneWith('1.0.0');
  const cpu = process.arch === 'x64' ? 'arm64' : 'x64';
  const packages = {
    'node_modules/a': { version: '1.0.0', resolved: 'file:a', integrity: 'sha512-x' },
    'node_modules/other': { version: '1.0.0', optional: true, os: [process.platform], cpu: [cpu] },
    'node_modules/same': { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
  };
  const lockWith = (installed: object) =>
    JSON.stringify({ name: 'x', lockfileVersion: 3, packages: installed });
  const installed = join(dir, 'node_modules/.package-lock.json');
  mkdirSync(join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package-lock.json'), lockWith({ '': { name: 'x' }, ...packages }));

  const { 'node_modules/other': _other, ...forThisPlatform } = packages;
  writeFileSync(installed, lockWith(forThisPlatform));
  expect(prepare(dir, '--install-only')).toEqual({ status: 0, stdout: '', stderr: '' });

  const { 'node_modules/same': _same, ...incomplete } = forThisPlatform;
  const otherVersion = { ...forThisPlatform, 'node_modules/a': { version: '2.0.0' } };
  const additional = { ...forThisPlatform, 'node_modules/b': { version: '1.0.0' } };
  for (const different of [incomplete, otherVersion, additional]) {
    mkdirSync(join(dir, 'node_modules'), { recursive: true });
    writeFileSync(installed, lockWith(different));
    rmSync(join(dir, 'node_modules/.plinth-lock'), { force: true });
    expect(prepare(dir, '--install-only').stderr).toContain('Installing dependencies');
  }
});

test('a failed installation is reported and isn’t recorded as done', () => {
  const dir = cloneWith('1.0.0');
  writeFileSync(join(dir, 'package-lock.json'), 'not a lock file');
  const { status, stderr } = prepare(dir, '--install-only');
  expect(status).toBe(1);
  expect(stderr).toContain('The dependencies could not be installed');
  expect(existsSync(join(dir, 'node_modules/.plinth-lock'))).toBe(false);
});
