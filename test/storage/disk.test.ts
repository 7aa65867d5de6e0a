/**
 * Tests what happens when the disk is full. Objects that don't fit are rejected with the service's error format,
 * existing objects are kept, and space can be freed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type StorageServer, startStorage } from './server.ts';

/** Mounts a file system of 2 MiB. Returns undefined if the user isn't allowed to mount. */
function mountSmall(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'plinth-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory], { stdio: 'ignore' });
    return directory;
  } catch {
    rmdirSync(directory);
    return undefined;
  }
}

const small = mountSmall();
const full = {
  statusCode: '507',
  error: 'Insufficient Storage',
  message: 'There is not enough disk space for this object',
  code: 'InternalError',
};

describe.skipIf(small === undefined)('a full disk (requires permission to mount a tmpfs)', () => {
  let server: StorageServer;
  const kept = randomBytes(300_000);
  const large = randomBytes(3_000_000);
  beforeAll(async () => {
    server = await startStorage({}, small);
    await server.client().from('open').upload('kept', kept);
  });
  afterAll(async () => {
    await server.stop();
    execFileSync('umount', [small ?? '']);
    rmdirSync(small ?? '');
  });

  async function requireUnharmed(): Promise<void> {
    const { data } = await server.client().from('open').download('kept');
    expect(Buffer.from((await data?.bytes()) ?? []).equals(kept)).toBe(true);
    await eventually(async () => {
      const { objects, partial, intents } = await server.files();
      return objects.length === 1 && partial.length === 0 && intents.length === 0;
    });
  }

  test('rejects an upload, a replacement and a copy', async () => {
    const put = (key: string, headers = {}) =>
      server.request(`/object/open/${key}`, { method: 'POST', body: large, headers });
    const refused = await put('large');
    expect(refused.status).toBe(507);
    expect(await refused.json()).toEqual(full);
    expect((await put('kept', { 'x-upsert': 'true' })).status).toBe(507);
    expect((await server.client().from('open').exists('large')).data).toBe(false);
    await requireUnharmed();
    const files = server.client().from('open');
    for (let n = 0; ; n += 1) {
      const { error } = await files.copy('kept', `copy-${n}`);
      if (error) {
        expect(error).toMatchObject({ status: 507, statusCode: '507' });
        await files.remove(Array.from({ length: n }, (_, m) => `copy-${m}`));
        break;
      }
    }
    await requireUnharmed();
  });

  test('rejects a chunk that doesn’t fit, and the upload can resume when there is space', async () => {
    const tus = { 'tus-resumable': '1.0.0' };
    const body = randomBytes(1_200_000);
    const b64 = (text: string) => Buffer.from(text).toString('base64');
    await server.client().from('open').upload('filler', randomBytes(1_000_000));
    const made = await server.request('/upload/resumable', {
      method: 'POST',
      headers: {
        ...tus,
        'upload-length': '1200000',
        'upload-metadata': `bucketName ${b64('open')},objectName ${b64('chunks')}`,
      },
    });
    const path = new URL(made.headers.get('location') ?? '').pathname.slice('/storage/v1'.length);
    const patch = (offset: number) =>
      server.request(path, {
        method: 'PATCH',
        headers: {
          ...tus,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: body.subarray(offset),
      });
    const refused = await patch(0);
    expect(refused.status).toBe(507);
    expect(await refused.text()).toBe(full.message);
    await server.client().from('open').remove(['filler']);
    await eventually(async () => (await server.files()).objects.length === 1);
    const head = await server.request(path, { method: 'HEAD', headers: tus });
    expect((await patch(Number(head.headers.get('upload-offset')))).status).toBe(204);
    const { data } = await server.client().from('open').download('chunks');
    expect(Buffer.from((await data?.bytes()) ?? []).equals(body)).toBe(true);
    await server.client().from('open').remove(['chunks']);
    await requireUnharmed();
  });

  test('allows objects to be removed', async () => {
    const filler = join(small ?? '', 'filler');
    // The command writes until the disk is full.
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { stdio: 'ignore' });
    const files = server.client().from('open');
    expect((await files.upload('tiny', randomBytes(5000))).error).toMatchObject({ status: 507 });
    expect((await files.remove(['kept'])).data).toHaveLength(1);
    await eventually(async () => (await server.files()).objects.length === 0);
    rmSync(filler);
    expect((await files.upload('kept', kept)).error).toBeNull();
    await requireUnharmed();
  });
});
