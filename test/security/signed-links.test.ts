/**
 * Tests signed links. A link contains an object's key, but policies are checked only when the link is signed. A user's
 * link must not show or replace an object that another user later uploads with the same key. A service role's link
 * refers to the key, regardless of which object is stored there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alice, bob, type StorageServer, startStorage } from '../storage/server.ts';

let server: StorageServer;
beforeAll(async () => {
  server = await startStorage();
  await server.database.pool('postgres').exec(`
    insert into storage.buckets (id, name) values ('board', 'board');
    create policy anyone_adds on storage.objects for insert to authenticated with check (bucket_id = 'board');
    create policy own on storage.objects for all to authenticated
      using (bucket_id = 'board' and owner_id = auth.uid()::text);`);
});
afterAll(() => server?.stop());

type Who = typeof alice | undefined;
const json = { 'content-type': 'application/json' };

async function put(key: string, who: Who, body: string): Promise<void> {
  const init = { method: 'POST', body, headers: { 'content-type': 'text/plain', 'x-upsert': 'true' } };
  const response = await server.request(`/object/board/${key}`, { ...init, ...(who && { claims: who }) });
  expect(response.status, await response.text()).toBe(200);
}

async function remove(key: string, who: Who): Promise<void> {
  const response = await server.request(`/object/board/${key}`, {
    method: 'DELETE',
    ...(who && { claims: who }),
  });
  expect(response.status).toBe(200);
}

async function post(path: string, who: Who, body: object, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } };
  return (await server.request(path, { ...init, ...(who && { claims: who }) })).json();
}

const linksTo: readonly [string, (key: string, who: Who) => Promise<string>][] = [
  ['one', async (key, who) => (await post(`/object/sign/board/${key}`, who, { expiresIn: 600 })).signedURL],
  [
    'one of several',
    async (key, who) =>
      (await post('/object/sign/board', who, { expiresIn: 600, paths: [key] }))[0].signedURL,
  ],
];

const read = async (link: string): Promise<string | number> => {
  const response = await server.request(link, { claims: null });
  return response.ok ? response.text() : (await response.json()).statusCode;
};

describe.each(linksTo)('a link to read %s', (way, sign) => {
  const key = way.replaceAll(' ', '');

  it('doesn’t return a file that another user has uploaded in the meantime', async () => {
    await put(`${key}1`, alice, 'of alice');
    const link = await sign(`${key}1`, alice);
    expect(await read(link)).toBe('of alice');
    await remove(`${key}1`, alice);
    await put(`${key}1`, bob, 'of bob');
    expect(await read(link)).toBe('404');
  });

  it('still works after the service role replaces the object or the same user recreates it', async () => {
    await put(`${key}2`, alice, 'first');
    const link = await sign(`${key}2`, alice);
    await put(`${key}2`, undefined, 'replaced by the service');
    expect(await read(link)).toBe('replaced by the service');
    await remove(`${key}2`, undefined);
    await put(`${key}2`, alice, 'again');
    expect(await read(link)).toBe('again');
  });

  it('refers to the key if the service role signed it', async () => {
    await put(`${key}3`, alice, 'of alice');
    const link = await sign(`${key}3`, undefined);
    await remove(`${key}3`, alice);
    await put(`${key}3`, bob, 'of bob');
    expect(await read(link)).toBe('of bob');
  });
});

describe('an upload link', () => {
  const sign = (key: string, who: Who) =>
    post(`/object/upload/sign/board/${key}`, who, {}, { 'x-upsert': 'true' });
  const use = async (url: string): Promise<string | number> => {
    const init = { method: 'PUT', body: 'by the link', headers: { 'content-type': 'text/plain' } };
    const response = await server.request(url, { ...init, claims: null });
    return response.ok ? 200 : (await response.json()).statusCode;
  };

  it('doesn’t replace a file that another user has uploaded in the meantime', async () => {
    const { url } = await sign('up1', alice);
    await put('up1', bob, 'of bob');
    expect(await use(url)).toBe('403');
  });

  it('doesn’t replace such a file with a resumable upload either', async () => {
    const { token } = await sign('up2', alice);
    await put('up2', bob, 'of bob');
    const base64 = (value: string) => Buffer.from(value).toString('base64');
    const response = await server.request('/upload/resumable/sign', {
      method: 'POST',
      claims: null,
      body: 'in pieces',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '9',
        'x-signature': token,
        'content-type': 'application/offset+octet-stream',
        'upload-metadata': `bucketName ${base64('board')},objectName ${base64('up2')}`,
      },
    });
    expect(response.status).toBe(403);
  });

  it('works more than once if its signer was allowed to replace the object', async () => {
    const { url } = await sign('up3', alice);
    expect([await use(url), await use(url)]).toEqual([200, 200]);
    const again = await sign('up3', alice);
    await put('up3', undefined, 'replaced by the service');
    expect(await use(again.url)).toBe(200);
  });

  it('replaces any object if the service role signed it', async () => {
    const { url } = await sign('up4', undefined);
    await put('up4', bob, 'of bob');
    expect(await use(url)).toBe(200);
  });
});
