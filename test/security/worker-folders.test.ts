/** Tests that files that other users create in the system's shared temporary folder are neither read nor removed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let shared: string;
beforeEach(() => {
  shared = mkdtempSync(join(tmpdir(), 'plinth-test-'));
});
afterEach(() => rmSync(shared, { recursive: true, force: true }));

const module = new URL('../../src/base/shared/run-folder.ts', import.meta.url).href;

/**
 * Creates the folder in a separate process, because reading a named pipe would block the test process. Returns the
 * output.
 */
function makeRunFolder(): string {
  const script = `console.log((await import(${JSON.stringify(module)})).makeRunFolder('plinth-fn-', '/project'))`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: shared },
    timeout: 10_000,
    encoding: 'utf8',
  });
  return signal === null ? `${stdout}${stderr}`.trim() : 'stands still';
}

/** Simulates a killed process, using a process ID that isn't in use. */
function leave(name: string): string {
  const folder = join(shared, `plinth-fn-${name}`);
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(folder, 'owner'), JSON.stringify({ pid: 2 ** 22 + 1, project: '/project' }));
  return folder;
}

it('a pipe in place of a file doesn’t block the start', () => {
  const folder = join(shared, 'plinth-fn-pipe');
  mkdirSync(folder);
  execFileSync('mkfifo', [join(folder, 'owner')]);
  expect(makeRunFolder()).toContain(join(shared, 'plinth-fn-'));
});

it('a folder that a killed process left behind is removed', () => {
  const folder = leave('own');
  makeRunFolder();
  expect(existsSync(folder)).toBe(false);
});

it.runIf(process.getuid?.() === 0)(
  'a folder of another user isn’t removed, regardless of its content',
  () => {
    const folder = leave('other');
    chownSync(folder, 12_345, 12_345);
    makeRunFolder();
    expect(existsSync(folder)).toBe(true);
  },
);
