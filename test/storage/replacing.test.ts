/**
 * Tests objects that are replaced, moved and copied during reads. Each reader must receive one complete version, and no
 * bytes of replaced objects may be left behind.
 */
import { createHash, randomBytes } from 'node:crypto';
import { CopyObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { s3Client } from './s3/clients.ts';
import { eventually, type StorageServer, startStorage } from './server.ts';

let server: StorageServer;
beforeAll(async () => {
  server = await startStorage();
});
afterAll(() => server.stop());

const open = () => server.client().from('open');
const admin = () => server.database.pool('supabase_storage_admin');
async function put(name: string, body: Buffer): Promise<void> {
  const { error } = await open().upload(name, body, { upsert: true });
  if (error) throw error;
}
async function versions(): Promise<string[]> {
  const rows = await admin().query<{ version: string }>(sql`select version from storage.objects`);
  return rows.map(({ version }) => version).sort();
}
const md5 = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

test('reads and copies of an object that is being replaced succeed', { timeout: 20_000 }, async () => {
  await put('busy', randomBytes(100));
  const s3 = s3Client(server);
  const times = async (count: number, work: () => Promise<unknown>): Promise<void> => {
    for (let done = 0; done < count; done += 1) await work();
  };
  const get = async (): Promise<void> => {
    const response = await server.request('/object/public/open/busy');
    expect(response.status).toBe(200);
    expect(md5(await response.bytes())).toBe(response.headers.get('etag'));
  };
  const getByS3 = async (): Promise<void> => {
    const { Body, ETag } = await s3.send(new GetObjectCommand({ Bucket: 'open', Key: 'busy' }));
    expect(md5((await Body?.transformToByteArray()) ?? Buffer.of())).toBe(ETag);
  };
  const copyBy = async (destinationKey: string): Promise<void> => {
    const copy = { bucketId: 'open', sourceKey: 'busy', destinationKey };
    const response = await server.request('/object/copy', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-upsert': 'true' },
      body: JSON.stringify(copy),
    });
    expect(await response.json()).toMatchObject({ Key: `open/${destinationKey}` });
  };
  const copyByS3 = () =>
    s3.send(new CopyObjectCommand({ Bucket: 'open', Key: 'third', CopySource: 'open/busy' }));
  const replace = () => put('busy', randomBytes(Math.ceil(Math.random() * 200_000)));
  await Promise.all([
    ...[1, 2, 3, 4].map(() => times(8, replace)),
    times(20, get),
    times(10, getByS3),
    times(8, () => copyBy('other')),
    times(8, () => copyBy('busy')),
    times(8, copyByS3),
  ]);
  await eventually(async () => (await server.files()).objects.length === 3);
  expect((await server.files()).objects.toSorted()).toEqual(await versions());
});

test('an upload to a key that is being replaced doesn’t leave bytes behind', async () => {
  await put('moved', Buffer.from('moved'));
  await admin().exec(`
    create function storage.wait_for_test() returns trigger language plpgsql as
      $$ begin if new.version <> '1' then perform pg_advisory_xact_lock_shared(4711); end if; return new; end $$;
    create trigger wait_for_test before insert on storage.objects
      for each row when (new.name = 'slow') execute function storage.wait_for_test();`);
  const waiting = async (): Promise<number> => {
    const [row] = await admin().query<{ count: number }>(
      sql`select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    );
    return row?.count ?? 0;
  };
  const session = await admin().connect();
  await session.query(sql`select pg_advisory_lock(4711)`);
  const replacing = put('slow', Buffer.from('new'));
  await eventually(async () => (await waiting()) === 1);
  let hasMoved = false;
  const moving = open()
    .move('moved', 'slow')
    .finally(() => {
      hasMoved = true;
    });
  await eventually(async () => hasMoved || (await waiting()) === 2);
  await session.query(sql`select pg_advisory_unlock(4711)`);
  session.release();
  await replacing;
  expect((await moving).error).toMatchObject({ message: 'The resource already exists' });
  await eventually(async () => (await server.files()).intents.length === 0);
  expect((await server.files()).objects.toSorted()).toEqual(await versions());
});
