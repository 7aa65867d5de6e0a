import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeOverRequest } from '../../base/shared/restore-markers.ts';
import { ownerName } from './core/names.ts';
import { claimTarget } from './owner.ts';

let dir: string;
const folders: string[] = [];
const files = new Map<string, Buffer>();
const repository = {
  label: 'target',
  readBytes: async (name: string) => files.get(name),
  writeBytes: async (name: string, bytes: Uint8Array) => void files.set(name, Buffer.from(bytes)),
};
let clock = 1;
const claim = (dataDir: string, observeMs = 200) =>
  claimTarget({ repository, dataDir, now: () => clock++, observeMs });
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'plinth-owner-'));
  folders.push(path);
  return path;
};
/** Makes the entry look as if a process on another machine wrote it. */
const moveOwner = (): void => {
  const entry = JSON.parse(String(files.get(ownerName)));
  files.set(ownerName, Buffer.from(JSON.stringify({ ...entry, host: 'elsewhere', pid: 1 })));
};

beforeEach(() => {
  files.clear();
  dir = folder();
});
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

test('another data folder is rejected, even if the owner has exited', async () => {
  const first = await claim(dir);
  await first.release();
  await expect(claim(folder())).rejects.toMatchObject({ code: 'target_in_use' });
});

test('a promoted server takes over, and the previous owner detects this', async () => {
  const first = await claim(dir);
  await first.renew();
  const other = folder();
  writeFileSync(join(other, takeOverRequest), '');
  const second = await claim(other);
  await second.renew();
  await expect(first.renew()).rejects.toMatchObject({ code: 'target_in_use' });
  await expect(first.release()).rejects.toMatchObject({ code: 'target_in_use' });
  // A takeover request takes effect only once.
  await (await claim(other)).renew();
  await expect(claim(dir)).rejects.toMatchObject({ code: 'target_in_use' });
});

test('the same server continues after a restart', async () => {
  await claim(dir);
  await (await claim(dir)).renew();
});

test('after the machine is lost, the same folder on another machine waits to see whether the entry is renewed', async () => {
  await claim(dir);
  moveOwner();
  await (await claim(dir)).renew();
});

test('a copy of the same folder is rejected while the owner renews its entry', async () => {
  await claim(dir);
  moveOwner();
  const waiting = claim(dir, 1000);
  await sleep(50);
  const entry = JSON.parse(String(files.get(ownerName)));
  files.set(ownerName, Buffer.from(JSON.stringify({ ...entry, renewedAtMs: entry.renewedAtMs + 1 })));
  await expect(waiting).rejects.toMatchObject({ code: 'target_in_use' });
});
