/**
 * Tests restores and verifications on a small disk. Both operations are rejected before anything is written, and a
 * copy that grows more than expected is removed. Also tests that an interrupted restore can be repeated.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { interrupt, makeProject, processesBelow, readAll, run, startServer } from './server.ts';

const MiB = 1024 * 1024;

/** Mounts a file system of this size and returns its folder. Returns undefined if the user isn't allowed to mount. */
function mount(sizeMib: number): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'plinth-small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', directory], { stdio: 'ignore' });
    return directory;
  } catch {
    rmdirSync(directory);
    return undefined;
  }
}

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const project = makeProject(target);
const small = mount(120);

beforeAll(async () => {
  const server = await startServer(project);
  expect(await run(project, ['backup'])).toMatchObject({ status: 0 });
  await server.stop();
});
afterAll(() => {
  if (small !== undefined) {
    execFileSync('umount', [small]);
    rmdirSync(small);
  }
  project.remove();
  rmSync(target, { recursive: true, force: true });
});

const needs =
  /^The restored copy needs [\d.]+ MiB in \S+, where [\d.]+ MiB are available in addition to the reserve of 96\.0 MiB\.$/m;

it.skipIf(small === undefined)(
  'a copy that doesn’t fit is rejected before anything is written',
  async () => {
    const verified = await run(project, ['backup', 'verify', '--work-dir', small as string]);
    expect(verified).toMatchObject({ status: 1, stderr: expect.stringMatching(needs) });
    expect(verified.stderr).toContain(` in ${small}, where`);
    const dataDir = join(small as string, 'data');
    const restored = await run(project, ['restore', '--data-dir', dataDir]);
    expect(restored).toMatchObject({ status: 1, stderr: expect.stringMatching(needs) });
    expect(readdirSync(small as string)).toEqual([]);
    const { bavail, bsize } = statfsSync(small as string);
    expect(bavail * bsize).toBeGreaterThan(119 * MiB);
  },
  60_000,
);

test('only a restore can reuse the folder of a killed restore', async () => {
  const dataDir = join(project.dir, 'killed');
  const args = ['restore', '--data-dir', dataDir];
  await interrupt(project, args, /Recovering/, 'SIGKILL');
  await expect(startServer(project, dataDir)).rejects.toThrow(/restore/i);
  writeFileSync(join(dataDir, 'left'), 'by the first restore');
  const again = await run(project, args);
  expect(again, again.stderr).toMatchObject({ status: 0 });
  expect(readdirSync(dataDir)).not.toContain('left');
  expect(processesBelow(dataDir)).toEqual([]);
  const server = await startServer(project, dataDir);
  expect((await readAll(server)).rows.size).toBe(0);
  await server.stop();
});
