/**
 * Tests backups during writes, and point-in-time restores from a folder, including after a sudden loss of the machine.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { differences, makeProject, readAll, run, startServer, startWriter } from './server.ts';

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const project = makeProject(target);
afterAll(() => {
  project.remove();
  rmSync(target, { recursive: true, force: true });
});

/** Adds a deployed function, which the test never calls. */
function deployFunction(dataDir: string): void {
  mkdirSync(join(dataDir, 'deployed/versions/v1'), { recursive: true });
  const version = {
    id: 'f2a8a4f4-6a0b-4a4e-9a6e-1f0f0e6f6a11',
    slug: 'hello',
    name: 'hello',
    version: 1,
    verifyJwt: true,
    entrypointPath: 'index.ts',
    createdAt: 0,
    updatedAt: 0,
    sha256: '',
    sizeBytes: source.length,
    folder: 'v1',
  };
  writeFileSync(join(dataDir, 'deployed/index.json'), JSON.stringify({ versions: [version] }));
  writeFileSync(join(dataDir, 'deployed/versions/v1/index.ts'), source);
}
const source = `Deno.serve(() => new Response('deployed'));`;

it('a restore reaches an exact time and the newest second', async () => {
  deployFunction(project.dataDir);
  const server = await startServer(project);
  const writer = startWriter(server);
  expect(await run(project, ['backup'])).toMatchObject({ status: 0, stderr: '' });
  await sleep(2000);
  const timeMs = Date.now();
  await sleep(3000);
  const lostAtMs = Date.now();
  await server.kill();
  await writer.stop();
  rmSync(project.dataDir, { recursive: true, force: true });

  const listed = await run(project, ['backup', 'list', '--json']);
  expect(listed).toMatchObject({ status: 0 });
  expect(JSON.parse(listed.stdout).length).toBeGreaterThan(0);

  const dataDir = join(project.dir, 'restored');
  const args = ['restore', '--to-time', new Date(timeMs).toISOString(), '--data-dir', dataDir];
  const restored = await run(project, args);
  expect(restored, restored.stderr).toMatchObject({ status: 0 });
  expect(restored.stdout).toMatch(/Last transaction: 20/);
  const copy = await startServer(project, dataDir);
  expect(readFileSync(join(dataDir, 'deployed/versions/v1/index.ts'), 'utf8')).toBe(source);
  expect((await run(project, ['functions', 'list', '--data-dir', dataDir])).stdout).toContain('| hello |');
  const found = await readAll(copy);
  await copy.stop();
  expect(differences(found, writer, timeMs)).toEqual([]);
  expect(found.rows.size).toBeGreaterThan(100);
  expect(found.objects.size).toBeGreaterThan(10);

  const newest = join(project.dir, 'newest');
  expect(await run(project, ['restore', '--data-dir', newest])).toMatchObject({ status: 0 });
  const second = await startServer(project, newest);
  const all = await readAll(second);
  await second.stop();
  // The restored database contains all writes that were acknowledged at least two seconds before the loss of the
  // machine. The database may also contain later writes.
  const gone = differences(all, writer, lostAtMs - 2000).filter((text) => /is missing|no bytes/.test(text));
  expect(gone).toEqual([]);

  expect(await run(project, args)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("isn't empty"),
  });
});
