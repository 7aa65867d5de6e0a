/**
 * Tests the sweep, which compares stored files with database rows. A folder is used by one process or by several
 * processes.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileBackend } from '../../src/services/storage/backend/file.ts';
import { createOwners } from '../../src/services/storage/backend/owners.ts';
import { orphanLifetimeMs, sweepGraceMs } from '../../src/services/storage/backend/sweep.ts';
import type { ObjectBackend, SweepReport } from '../../src/services/storage/backend/types.ts';

let root: string;
let backend: ObjectBackend;
let rows: Set<string>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'plinth-sweep-'));
  backend = createFileBackend(root);
  rows = new Set();
});
afterEach(async () => {
  await backend.close();
  await rm(root, { recursive: true, force: true });
});

async function store(version = randomUUID()): Promise<string> {
  await backend.write(
    version,
    (async function* () {
      yield Buffer.from('bytes');
    })(),
    5,
  );
  return version;
}
async function sweep(laterMs = 0, uploads: string[] = []): Promise<SweepReport | undefined> {
  return backend.sweep?.({
    livingWith: async (digit) => ({
      objects: [...rows].filter((version) => version.startsWith(digit)),
      uploads: uploads.filter((version) => version.startsWith(digit)),
    }),
    findLiving: async (versions) => new Set(versions.filter((version) => rows.has(version))),
    nowMs: Date.now() + laterMs,
    signal: new AbortController().signal,
  });
}
const stored = async (): Promise<string[]> =>
  (await readdir(join(root, 'objects'), { recursive: true }))
    .filter((name) => name.includes('-'))
    .map((name) => name.slice(3));
const clean = { putAside: 0, restored: 0, removed: 0, missing: [] };
const later = sweepGraceMs + 60_000;

describe('a sweep', () => {
  test('doesn’t affect objects or recent files', async () => {
    rows.add(await store());
    const young = await store();
    expect(await sweep(later - 2 * 60_000)).toEqual(clean);
    expect((await stored()).sort()).toEqual([...rows, young].sort());
  });

  test('moves files without a row aside, and restores them when their row returns', async () => {
    rows.add(await store());
    const orphan = await store();
    expect(await sweep(later)).toEqual({ ...clean, putAside: 1 });
    expect(await stored()).toEqual([...rows]);
    expect(await backend.open(orphan)).toBeUndefined();
    expect(await sweep(later)).toEqual(clean);
    rows.add(orphan);
    expect(await sweep(later)).toEqual({ ...clean, restored: 1 });
    const body = await backend.open(orphan);
    expect(body?.sizeBytes).toBe(5);
    await body?.close();
  });

  test('permanently removes them after a week', async () => {
    const orphan = await store();
    await sweep(later);
    expect(await sweep(orphanLifetimeMs - 60_000)).toEqual(clean);
    expect(await sweep(orphanLifetimeMs + 60_000)).toEqual({ ...clean, removed: 1 });
    rows.add(orphan);
    expect(await sweep()).toEqual({ ...clean, missing: [orphan] });
  });

  test('lists rows without a file, except for those inserted with SQL', async () => {
    const lost = randomUUID();
    rows.add(lost).add('a text that SQL wrote').add('');
    expect(await sweep()).toEqual({ ...clean, missing: [lost] });
  });

  test('removes parts of unknown uploads and partial files', async () => {
    const [open, abandoned, half] = [randomUUID(), randomUUID(), randomUUID()];
    for (const upload of [open, abandoned])
      await backend.writePart(
        upload,
        randomUUID(),
        (async function* () {
          yield Buffer.from('part');
        })(),
        4,
      );
    await writeFile(join(root, 'partial', half), 'hal');
    expect(await sweep(later, [open])).toEqual({ ...clean, removed: 1 });
    expect(await readdir(join(root, 'uploads'))).toEqual([open]);
    expect(await sweep(25 * 60 * 60 * 1000, [open])).toEqual({ ...clean, removed: 1 });
    expect(await readdir(join(root, 'partial'))).toEqual([]);
  });

  test('changes only Plinth’s own files', async () => {
    await mkdir(join(root, 'objects', 'ab'), { recursive: true });
    await writeFile(join(root, 'objects', 'ab', 'README'), '');
    await mkdir(join(root, 'objects', 'notes'));
    expect(await sweep(orphanLifetimeMs * 2)).toEqual(clean);
    expect((await readdir(join(root, 'objects'))).sort()).toEqual(['ab', 'notes']);
  });

  test('by two concurrent processes doesn’t cause harm', async () => {
    for (let n = 0; n < 20; n += 1) await store();
    const reports = await Promise.all([sweep(later), sweep(later)]);
    expect(reports.reduce((sum, report) => sum + (report?.putAside ?? 0), 0)).toBe(20);
    expect(await stored()).toEqual([]);
  });
});

describe('several processes', () => {
  const owners = () => createOwners(join(root, 'owners'));

  test('don’t settle an intent that another process is working on', async () => {
    const other = createFileBackend(root);
    const version = randomUUID();
    const intent = await other.announce([version]);
    await other.write(
      version,
      (async function* () {
        yield Buffer.from('x');
      })(),
      1,
    );
    expect(await backend.recover(async () => new Set())).toEqual({ settledIntents: 0, removedVersions: 0 });
    await intent.settle([]);
    expect(await stored()).toEqual([version]);
    await other.announce([version]);
    await other.close();
    expect(await backend.recover(async () => new Set())).toEqual({ settledIntents: 1, removedVersions: 1 });
  });

  test('detect a process of this machine that has ended', async () => {
    const { own, isDead } = owners();
    const [machine] = own.split('-');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    // Another process may have reused the process ID. In that case, the start time of the process is different.
    expect(await isDead(`${machine}-${child.pid}-1-00000000`)).toBe(process.platform === 'linux');
    expect(await isDead(`${machine}-${process.ppid}-1-00000000`)).toBe(process.platform === 'linux');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isDead(`${machine}-${child.pid}-1-00000000`)).toBe(true);
    expect(await isDead(own)).toBe(false);
  });

  test('treat a process on another machine as alive while it renews its marker', async () => {
    const { isDead, renew, own } = owners();
    const path = join(root, 'owners', 'f00-1-1-00000000');
    expect(await isDead('f00-1-1-00000000')).toBe(true);
    await writeFile(path, '');
    expect(await isDead('f00-1-1-00000000')).toBe(false);
    const longAgo = new Date(Date.now() - 11 * 60_000);
    await utimes(path, longAgo, longAgo);
    expect(await isDead('f00-1-1-00000000')).toBe(true);
    await renew();
    expect(await readdir(join(root, 'owners'))).toEqual([own]);
  });
});
