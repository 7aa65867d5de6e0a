import { randomBytes, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../base/kernel/log.ts';
import { openBodies } from './bodies.ts';
import { type BaseManifest, chooseBackup, readManifests, readWalCatalog } from './catalog.ts';
import { baseFile, bodyName, headName, snapshotName, walRangeName } from './core/names.ts';
import { openJournal } from './journal.ts';
import { prune } from './prune.ts';
import { openRepository, type Repository } from './repository.ts';
import { extract } from './restore/extract.ts';
import { hold } from './restore/source.ts';
import { createRounds, refuseTargetIn } from './session.ts';
import { storeSnapshot } from './snapshot.ts';
import { folderTarget } from './target/folder.ts';
import type { BodyStore } from './types.ts';

const day = 24 * 60 * 60 * 1000;
const now = Date.parse('2026-05-10T00:00:00Z');
const key = randomBytes(32);
let dir: string;
let repository: Repository;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plinth-repository-'));
  repository = await openRepository(folderTarget(dir), key, { systemIdentifier: '1', isKnown: () => false });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const backupAt = async (id: string, endedAtMs: number, lsn: string): Promise<void> => {
  const manifest: BaseManifest = {
    id,
    startedAtMs: endedAtMs - 1000,
    endedAtMs,
    startLsn: lsn,
    endLsn: lsn,
    timeline: 1,
    sizeBytes: 1,
    storedBytes: 1,
    serverVersion: 180_000,
  };
  await repository.writeBytes(baseFile(id, 'data'), Buffer.from('data'));
  await repository.writeBytes(baseFile(id, 'manifest'), Buffer.from(JSON.stringify(manifest)));
};
const wal = (start: bigint, end: bigint, timeMs: number): Promise<void> =>
  repository.writeBytes(walRangeName({ timeline: 1, start, end, timeMs }), Buffer.alloc(Number(end - start)));
const names = async (prefix = ''): Promise<string[]> => {
  const found: string[] = [];
  for await (const { name } of repository.list(prefix)) found.push(name);
  return found.sort();
};
const pruneAt = (nowMs: number, living: readonly string[] = []) =>
  prune({
    repository,
    nowMs,
    keepMs: 7 * day,
    listVersions: async () => living,
    bodies: { forget: () => undefined },
  });

const ids = ['20260501T000000Z-aaaaaa', '20260502T000000Z-bbbbbb', '20260509T000000Z-cccccc'] as const;

test('the window keeps its base backup and everything after it', async () => {
  await backupAt(ids[0], now - 9 * day, '0/1000000');
  await backupAt(ids[1], now - 8 * day, '0/2000000');
  await backupAt(ids[2], now - day, '0/3000000');
  await repository.writeBytes(baseFile('20260509T000000Z-dddddd', 'data'), Buffer.from('unfinished'));
  for (const [start, age] of [
    [0x1000000n, 9],
    [0x2000000n, 8],
    [0x3000000n, 1],
  ] as const)
    await wal(start, start + 0x1000000n, now - age * day);
  for (const age of [10, 9, 2]) await repository.writeBytes(snapshotName(now - age * day), Buffer.from('x'));

  expect(await pruneAt(now)).toEqual({ kept: 2, backups: 1, wal: 1, snapshots: 1, bodies: 0 });
  expect((await readManifests(repository)).map(({ id }) => id)).toEqual([ids[1], ids[2]]);
  expect(await names(`base/${ids[0]}/`)).toEqual([`base/${ids[0]}/data`]);
  // A backup without a manifest may still be running, so the backup is removed only after a day.
  await backupAt('20261231T000000Z-eeeeee', Date.now() + 2 * day, '0/4000000');
  await pruneAt(Date.now() + 2 * day);
  expect(await names('base/20260509T000000Z-dddddd/')).toEqual([]);
});

test('files that a restore is reading are kept unless the restore was killed', async () => {
  await backupAt(ids[0], now - 20 * day, '0/1000000');
  await backupAt(ids[1], now - 10 * day, '0/2000000');
  await backupAt(ids[2], now - day, '0/3000000');
  for (const start of [0x1000000n, 0x2000000n, 0x3000000n]) await wal(start, start + 0x1000000n, now - day);
  const release = await hold(repository, ids[0], now);
  expect(await pruneAt(now)).toMatchObject({ kept: 3, backups: 0, wal: 0 });
  await release();
  await hold(repository, ids[0], now - 2 * day);
  expect(await pruneAt(now)).toMatchObject({ kept: 2, backups: 1, wal: 1 });
  expect(await names('holds/')).toEqual([]);
});

test('a restore with read-only credentials doesn’t hold its backup', async () => {
  const writeBytes = async (): Promise<never> => {
    throw new Error('AccessDenied');
  };
  await (await hold({ ...repository, writeBytes }, ids[0], now))();
});

test('an object body is removed when its row isn’t in any recoverable state', async () => {
  const [living, deleted] = [randomUUID(), randomUUID()];
  await backupAt(ids[0], now - day, '0/1000000');
  for (const version of [living, deleted])
    await repository.writeBytes(bodyName(version), Buffer.from('body'));
  expect((await pruneAt(now, [living])).bodies).toBe(0);
  expect((await pruneAt(now + day, [living])).bodies).toBe(0);
  await backupAt(ids[1], now + 2 * day, '0/2000000');
  expect((await pruneAt(now + 3 * day, [living])).bodies).toBe(0);
  await backupAt(ids[2], now + 9.5 * day, '0/3000000');
  expect((await pruneAt(now + 10 * day, [living])).bodies).toBe(1);
  expect(await names('bodies/')).toEqual([bodyName(living)]);
});

test.each([
  ['before the newest backup', -day],
  ['long after everything in the archive', 9 * day],
])('prune removes nothing if the clock is %s', async (_name, offset) => {
  await backupAt(ids[0], now - 20 * day, '0/1000000');
  await backupAt(ids[1], now, '0/2000000');
  await wal(0x2000000n, 0x3000000n, now + day);
  const before = await names();
  await expect(pruneAt(now + offset)).rejects.toMatchObject({ code: 'clock_implausible' });
  expect(await names()).toEqual(before);
});

test('prune removes the remains of interrupted writes after a day', async () => {
  await backupAt(ids[0], now, '0/1000000');
  const [old, recent] = [join(dir, 'unfinished', 'old'), join(dir, 'unfinished', 'recent')];
  for (const path of [old, recent]) writeFileSync(path, 'part');
  utimesSync(old, (now - 2 * day) / 1000, (now - 2 * day) / 1000);
  await pruneAt(now);
  expect(readdirSync(join(dir, 'unfinished'))).toEqual(['recent']);
});

test.each([0, 40, 200])('an error names a file that is truncated to %i bytes', async (sizeBytes) => {
  const name = baseFile(ids[0], 'data');
  await repository.writeBytes(name, randomBytes(1000));
  truncateSync(join(dir, name), sizeBytes);
  await expect(repository.readBytes(name)).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringContaining(`(${name})`),
  });
});

test("the target's description has a size limit", async () => {
  writeFileSync(join(dir, 'plinth-backup.json'), Buffer.alloc(64 * 1024 + 1, ' '));
  await expect(openRepository(folderTarget(dir), key)).rejects.toMatchObject({ code: 'damaged' });
});

test('a target inside the project folder is rejected', () => {
  const project = join(dir, 'supabase');
  mkdirSync(project);
  symlinkSync(project, join(dir, 'link'));
  for (const inside of ['supabase', 'supabase/backups/new', 'link/backups'])
    expect(() => refuseTargetIn(project, join(dir, inside))).toThrow(/inside the project folder/);
  for (const outside of ['', 'supabase-backups', '..backups']) refuseTargetIn(project, join(dir, outside));
});

test('a snapshot contains every project file and the keys', async () => {
  const [project, data] = [join(dir, 'supabase'), join(dir, 'data')];
  const version = join(data, 'deployed', 'versions', 'v', 'node_modules');
  for (const folder of [project, data, version]) mkdirSync(folder, { recursive: true });
  const contents = new Map([
    ['supabase/large', randomBytes(3_000_000)],
    ['supabase/empty', Buffer.alloc(0)],
    ['data/key', randomBytes(32)],
    ['data/deployed/index.json', Buffer.from('{}')],
    ['data/deployed/versions/v/node_modules/x.ts', Buffer.from('export {}')],
  ]);
  for (const [name, content] of contents) writeFileSync(join(dir, name), content);
  writeFileSync(join(data, 'remote.json'), 'the access token for another server');
  const sources = { dataDir: data, supabaseDir: project };
  const fingerprint = await storeSnapshot(repository, sources, now, undefined);
  expect(await storeSnapshot(repository, sources, now + 1, fingerprint)).toBe(fingerprint);
  expect(await names('files/')).toEqual([snapshotName(now)]);
  const folder = join(dir, 'extracted');
  await extract((await repository.read(snapshotName(now))) as AsyncIterable<Uint8Array>, folder);
  for (const [name, content] of contents)
    expect(
      readFileSync(join(folder, name.replace('data/deployed/', 'deployed/').replace('data/', 'keys/'))),
    ).toEqual(content);
  expect(existsSync(join(folder, 'keys/remote.json'))).toBe(false);
});

test('if two processes initialize a target at the same time, each can read what the other writes', async () => {
  const folder = join(dir, 'shared');
  const create = { systemIdentifier: '1', isKnown: () => false };
  const opened = await Promise.all([1, 2, 3].map(() => openRepository(folderTarget(folder), key, create)));
  for (const [index, one] of opened.entries())
    await one.writeBytes(`files/${index}`, Buffer.from(`${index}`));
  for (const one of opened)
    for (const index of opened.keys())
      expect((await one.readBytes(`files/${index}`))?.toString()).toBe(`${index}`);
  expect(readdirSync(join(folder, 'unfinished'))).toEqual([]);
});

test('of several simultaneous attempts to create a file, one succeeds', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const created = await Promise.all(
    names.map((name) => repository.createBytes('wal/00000009/owner', Buffer.from(name))),
  );
  expect(created.filter(Boolean)).toHaveLength(1);
  expect((await repository.readBytes('wal/00000009/owner'))?.toString()).toBe(names[created.indexOf(true)]);
});

test('a known target that is empty isn’t initialized again', async () => {
  const empty = folderTarget(join(dir, 'unmounted'));
  const create = { systemIdentifier: '1', isKnown: (label: string) => label === empty.label };
  await expect(openRepository(empty, key, create)).rejects.toMatchObject({ code: 'target_lost' });
  expect(readdirSync(dir)).not.toContain('unmounted');
});

test('without a base backup, nothing is removed', async () => {
  await wal(0n, 10n, now);
  await repository.writeBytes(bodyName(randomUUID()), Buffer.from('body'));
  expect(await pruneAt(now + 100 * day)).toMatchObject({ kept: 0, wal: 0, bodies: 0 });
});

test('the newest recoverable time is determined by the WAL up to the first gap', async () => {
  await backupAt(ids[0], now, '0/1000010');
  await wal(0x1000000n, 0x1000100n, now + 1000);
  await wal(0x1000100n, 0x1000200n, now + 2000);
  await wal(0x1000300n, 0x1000400n, now + 9000);
  await repository.writeBytes(
    headName(now + 5000),
    Buffer.from(JSON.stringify({ timeline: 1, lsn: '0/1000200' })),
  );
  const choose = async (toTimeMs?: number) =>
    chooseBackup(await readManifests(repository), await readWalCatalog(repository), { toTimeMs });
  expect(await choose()).toMatchObject({ until: 'end', newestMs: now + 5000, end: 0x1000200n, hasGap: true });
  expect(await choose(now + 4000)).toMatchObject({ until: 'time', hasGap: false });
  await expect(choose(now + 6000)).rejects.toMatchObject({ code: 'time_too_late' });
  await expect(choose(now - 1)).rejects.toMatchObject({ code: 'no_backup' });
  await wal(0x1000200n, 0x1000300n, now + 8000);
  expect(await choose()).toMatchObject({ newestMs: now + 9000, end: 0x1000400n, hasGap: false });
});

test('target files are private, and moved, changed or foreign files are rejected', async () => {
  await backupAt(ids[0], now, '0/1000010');
  await backupAt(ids[1], now, '0/1000010');
  const path = join(dir, 'base', ids[0], 'manifest');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, 'base')).mode & 0o777).toBe(0o700);
  renameSync(join(dir, 'base', ids[1], 'manifest'), path);
  await expect(readManifests(repository)).rejects.toMatchObject({ code: 'damaged' });
  await expect(openRepository(folderTarget(dir), randomBytes(32))).rejects.toMatchObject({ code: 'damaged' });
  const other = { systemIdentifier: '2', isKnown: () => false };
  await expect(openRepository(folderTarget(dir), key, other)).rejects.toMatchObject({
    code: 'target_foreign',
  });
  const info = join(dir, 'plinth-backup.json');
  writeFileSync(info, readFileSync(info, 'utf8').replace('"systemIdentifier":"1"', '"systemIdentifier":"2"'));
  await expect(openRepository(folderTarget(dir), key, other)).rejects.toMatchObject({ code: 'damaged' });
});

test('a round uploads before it removes, and a failed round is repeated', async () => {
  const data = mkdtempSync(join(tmpdir(), 'plinth-journal-'));
  const journal = openJournal(data);
  const [kept, gone] = [randomUUID(), randomUUID()];
  const removed: string[] = [];
  let fails = true;
  const store: BodyStore = {
    async read(version) {
      if (fails) throw new Error('target');
      return removed.includes(version) ? undefined : Readable.from([Buffer.from(version)]);
    },
    write: async () => undefined,
    remove: async (versions) => void removed.push(...versions),
  };
  const bodies = await openBodies(repository, store, silentLogger);
  const rounds = createRounds(journal, bodies, store);
  journal.stored(kept);
  journal.stored(gone);
  journal.removed([gone]);
  await expect(rounds.run(undefined)).rejects.toThrow('target');
  expect(removed).toEqual([]);
  fails = false;
  await rounds.run(undefined);
  expect(removed).toEqual([gone]);
  expect(await names('bodies/')).toEqual([kept, gone].map(bodyName).sort());
  expect((await repository.readBytes(bodyName(gone)))?.toString()).toBe(gone);
  await rounds.run(undefined);
  expect(removed).toEqual([gone]);
  journal.close();
  rmSync(data, { recursive: true });
});

test.each([
  ['a path outside', { name: '../outside' }],
  ['an absolute path', { name: '/tmp/outside' }],
  ['a symlink', { name: 'link', type: 'symlink', linkname: '/etc' }],
  ['a hard link', { name: 'link', type: 'link', linkname: '/etc/passwd' }],
  ['a device', { name: 'device', type: 'character-device' }],
] as const)('an archive with %s is rejected', async (_what, header) => {
  const folder = join(dir, 'extracted', 'into');
  const archive = pack();
  archive.entry({ ...header }, '');
  archive.finalize();
  await expect(extract(archive as AsyncIterable<Uint8Array>, folder)).rejects.toMatchObject({
    code: 'damaged',
  });
  expect(readdirSync(dir).filter((name) => name === 'outside')).toEqual([]);
});

test('an archive never replaces a file', async () => {
  const archive = pack();
  archive.entry({ name: 'a' }, 'one');
  archive.entry({ name: 'a' }, 'two');
  archive.finalize();
  const folder = join(dir, 'extracted');
  await expect(extract(archive as AsyncIterable<Uint8Array>, folder)).rejects.toMatchObject({
    code: 'EEXIST',
  });
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('one');
});
