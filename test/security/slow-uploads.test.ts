/**
 * Tests uploads that take a long time. Write access is checked before the bytes are received. If another user stores an
 * object with the same key during the upload, the upload succeeds only if its caller may replace that object.
 */
import { type ClientRequest, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { signByHand } from '../storage/s3/clients.ts';
import { alice, bob, type StorageServer, startStorage } from '../storage/server.ts';

let server: StorageServer;
beforeAll(async () => {
  server = await startStorage();
  await server.database.pool('postgres').exec(`
    insert into storage.buckets (id, name) values ('board', 'board');
    create policy anyone_adds on storage.objects for insert to authenticated with check (bucket_id = 'board');
    create policy anyone_looks on storage.objects for select to authenticated using (bucket_id = 'board');
    create policy own_is_replaced on storage.objects for update to authenticated
      using (bucket_id = 'board' and owner_id = auth.uid()::text);`);
});
afterAll(() => server?.stop());

interface SlowRequest {
  readonly status: Promise<number>;
  readonly sent: ClientRequest;
}

/** Sends the first half of the body. */
function begin(method: string, url: string, headers: Record<string, string>): SlowRequest {
  const sent = httpRequest(url, { method, headers: { ...headers, 'content-length': '8' } });
  const status = new Promise<number>((resolve, reject) => {
    sent.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const inBody = /"statusCode":"(\d+)"/.exec(text)?.[1];
      resolve(Number(inBody ?? response.statusCode));
    });
    sent.on('error', reject);
  });
  sent.write('evil');
  return { status, sent };
}

const bearer = (claims: typeof alice) => ({ authorization: `Bearer ${server.tokenOf(claims)}` });
const text = { 'content-type': 'text/plain' };

async function put(key: string, claims: typeof alice, body: string): Promise<number> {
  const response = await server.request(`/object/board/${key}`, {
    method: 'POST',
    body,
    claims,
    headers: { ...text, 'x-upsert': 'true' },
  });
  return response.status;
}

async function read(key: string): Promise<string> {
  return (await server.request(`/object/authenticated/board/${key}`)).text();
}

const ways: readonly [string, (key: string, claims: typeof alice) => Promise<SlowRequest>][] = [
  [
    'one request',
    async (key, claims) =>
      begin('POST', `${server.url}/object/board/${key}`, { ...bearer(claims), ...text, 'x-upsert': 'true' }),
  ],
  [
    'a PUT',
    async (key, claims) => begin('PUT', `${server.url}/object/board/${key}`, { ...bearer(claims), ...text }),
  ],
  [
    'a resumable upload (TUS)',
    async (key, claims) => {
      const base64 = (value: string) => Buffer.from(value).toString('base64');
      const made = await server.request('/upload/resumable', {
        method: 'POST',
        claims,
        headers: {
          'tus-resumable': '1.0.0',
          'upload-length': '8',
          'x-upsert': 'true',
          'upload-metadata': `bucketName ${base64('board')},objectName ${base64(key)}`,
        },
      });
      expect(made.status).toBe(201);
      return begin('PATCH', made.headers.get('location') ?? '', {
        ...bearer(claims),
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      });
    },
  ],
  [
    'the S3 protocol',
    async (key, claims) => {
      const { url, headers } = signByHand(server, {
        method: 'PUT',
        path: `/board/${key}`,
        contentSha256: 'UNSIGNED-PAYLOAD',
        accessKeyId: 'stub',
        secret: server.keys.anonKey,
        headers: { 'x-amz-security-token': server.tokenOf(claims) },
      });
      return begin('PUT', url, headers);
    },
  ],
];

describe.each(ways)('an upload by %s', (way, start) => {
  const key = encodeURIComponent(way.replaceAll(/[^a-z]/gi, ''));

  it("doesn't replace a file that another user uploaded in the meantime", async () => {
    const slow = await start(`${key}1`, alice);
    // The test waits until the server has checked alice's access, because after bob's upload, this check would reject
    // her request.
    await sleep(300);
    expect(await put(`${key}1`, bob, 'of bob')).toBe(200);
    slow.sent.end('evil');
    expect(await slow.status).toBe(403);
    expect(await read(`${key}1`)).toBe('of bob');
  });

  it('replaces an object that its sender is allowed to replace', async () => {
    const slow = await start(`${key}2`, alice);
    await sleep(300);
    expect(await put(`${key}2`, alice, 'of alice')).toBe(200);
    slow.sent.end('good');
    expect(await slow.status).toBeLessThan(300);
    expect(await read(`${key}2`)).toBe('evilgood');
  });
});

it('a move that must wait doesn’t move an object that was stored at its source in the meantime', async () => {
  await server.database.pool('postgres').exec(`
    create policy own_is_deleted on storage.objects for delete to authenticated
      using (bucket_id = 'board' and owner_id = auth.uid()::text);`);
  expect(await put('from', alice, 'of alice')).toBe(200);
  const session = await server.database.pool('supabase_storage_admin').connect();
  try {
    // This statement acquires the lock that another write to this key would hold.
    await session.query(sql`select pg_advisory_lock(hashtextextended('board/to', 0))`);
    const moved = server.request('/object/move', {
      method: 'POST',
      claims: alice,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bucketId: 'board', sourceKey: 'from', destinationKey: 'to' }),
    });
    await sleep(300);
    const deleted = await server.request('/object/board/from', { method: 'DELETE', claims: alice });
    expect(deleted.status).toBe(200);
    expect(await put('from', bob, 'of bob')).toBe(200);
    await session.query(sql`select pg_advisory_unlock(hashtextextended('board/to', 0))`);
    expect(await (await moved).json()).toMatchObject({ statusCode: '404' });
    expect(await read('from')).toBe('of bob');
  } finally {
    session.release();
  }
});
