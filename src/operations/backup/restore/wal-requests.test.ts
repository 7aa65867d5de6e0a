import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveWal, type WalRequests } from './wal-requests.ts';

const isRoot = process.getuid?.() === 0;
/** The user as which PostgreSQL runs if this process runs as root. */
const ids = isRoot ? { uid: 65_534, gid: 65_534 } : {};
let dir: string;
let requests: WalRequests | undefined;
const segment = Buffer.alloc(1024 * 1024, 'wal');

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plinth-wal-'));
  chmodSync(dir, 0o711);
  mkdirSync(join(dir, 'postgres'), { mode: 0o700 });
  if (isRoot) chownSync(join(dir, 'postgres'), 65_534, 65_534);
});
afterEach(async () => {
  await requests?.stop().catch(() => undefined);
  requests = undefined;
  rmSync(dir, { recursive: true, force: true });
});

const shell = (text: string): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', text], { cwd: join(dir, 'postgres'), ...ids, stdio: 'ignore' });
    child.once('close', resolve);
  });
const fetchFile = (name: string): Promise<number | null> =>
  shell((requests as WalRequests).command.replace('%f', name).replace('%p', 'RECOVERYXLOG'));

test('PostgreSQL receives files, the end of the archive, and errors', async () => {
  requests = serveWal(dir, async (name) => {
    if (name === 'broken') throw new Error('The target is gone');
    return name === 'there' ? segment : undefined;
  });
  for (let round = 0; round < 3; round++) {
    expect(await fetchFile('there')).toBe(0);
    const path = join(dir, 'postgres', 'RECOVERYXLOG');
    expect(readFileSync(path).equals(segment)).toBe(true);
    rmSync(path);
    expect(await fetchFile('missing')).toBe(1);
  }
  expect(await fetchFile('broken')).toBe(200);
  expect(requests.error()?.message).toBe('The target is gone');
  await requests.stop();
  expect(readdirSync(dir)).toEqual(['postgres']);
});

test('an error is reported even if its file exists', async () => {
  requests = serveWal(dir, async () => {
    throw new Error('The target is gone');
  });
  expect(await fetchFile('one')).toBe(200);
  expect(await fetchFile('two')).toBe(200);
});

test.runIf(isRoot)('PostgreSQL’s user can’t create links where this process writes', async () => {
  requests = serveWal(dir, async () => segment);
  expect(await fetchFile('first')).toBe(0);
  const victim = join(dir, 'victim');
  writeFileSync(victim, 'kept', { mode: 0o600 });
  for (const path of ['', '/have', '/none', '/draft', '/failed'])
    expect(await shell(`ln -s ${victim} ../restore-wal${path}/planted`), path).not.toBe(0);
  expect(await shell('mv ../restore-wal ../other')).not.toBe(0);
  expect(await shell('rm -rf ../restore-wal/have')).not.toBe(0);
  expect(await shell('mv ../restore-wal/want ../restore-wal/other')).not.toBe(0);
  expect(await shell(`ln -s ${victim} ../restore-wal/want/link.1`)).toBe(0);
  expect(await fetchFile('second')).toBe(0);
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  expect(lstatSync(victim).uid).toBe(0);
  await requests.stop();
  expect(existsSync(join(dir, 'restore-wal'))).toBe(false);
  expect(readFileSync(victim, 'utf8')).toBe('kept');
});

test.runIf(isRoot)('a leftover link stops the service and isn’t followed', async () => {
  requests = serveWal(dir, async () => segment);
  const victim = join(dir, 'victim');
  writeFileSync(victim, 'kept', { mode: 0o600 });
  symlinkSync(victim, join(dir, 'restore-wal', 'draft'));
  const ended = fetchFile('first');
  await expect.poll(() => requests?.error()?.message, { timeout: 5000 }).toMatch(/EEXIST/);
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  rmSync(join(dir, 'restore-wal', 'draft'));
  expect(await ended).toBe(200);
});
