/**
 * Tests that the first process that finds an old, incomplete S3 multipart upload aborts it, either completely or not at
 * all.
 */
import { request } from 'node:http';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import type { ObjectBackend } from '../../src/services/storage/backend/types.ts';
import { createTasks, type StorageContext } from '../../src/services/storage/context.ts';
import { expireMultipartUploads } from '../../src/services/storage/housekeeping.ts';
import { findLivingVersions } from '../../src/services/storage/queries/objects.ts';
import { codeOf, s3Client, signByHand } from './s3/clients.ts';
import { eventually, type StorageServer, startStorage } from './server.ts';

const Bucket = 'open';
const lifetimeMs = 60 * 60 * 1000;
let server: StorageServer;
let s3: S3Client;
beforeAll(async () => {
  server = await startStorage();
  s3 = s3Client(server);
});
afterAll(async () => {
  s3.destroy();
  await server.stop();
});
beforeEach(async () => {
  await admin().exec(`delete from storage.s3_multipart_uploads`);
});

const admin = () => server.database.pool('supabase_admin');

/** Starts only the part that expires idle uploads, to simulate another process on the same folder and database. */
function openOther(change: (backend: ObjectBackend) => ObjectBackend = (same) => same) {
  const backend = server.backend.open(server.dataDir);
  const tasks = createTasks(silentLogger);
  const ctx = {
    database: server.database,
    backend: change(backend),
    tasks,
    clock: { now: () => Date.now() },
    multipartLifetimeMs: lifetimeMs,
  } as unknown as StorageContext;
  return {
    backend,
    expire: async () => {
      const expired = await expireMultipartUploads(ctx, new AbortController().signal);
      await tasks.finish();
      return expired;
    },
    close: () => backend.close(),
  };
}

async function expire(): Promise<number> {
  const other = openOther();
  const expired = await other.expire();
  await other.close();
  return expired;
}

const create = async (Key: string): Promise<string> =>
  (await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId ?? '';
const send = async (Key: string, UploadId: string, PartNumber = 1) => ({
  PartNumber,
  ETag: (await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'part' }))).ETag,
});
const complete = (Key: string, UploadId: string, Parts: Awaited<ReturnType<typeof send>>[]) =>
  s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
const partsOf = (Key: string, UploadId: string) =>
  s3.send(new ListPartsCommand({ Bucket, Key, UploadId })).then(
    ({ Parts }) => Parts?.length ?? 0,
    (error: Error) => error.name,
  );
/** Sets the age of an upload and its parts. */
const age = (id: string, ms: number) =>
  admin().exec(`
    update storage.s3_multipart_uploads set created_at = now() - interval '${ms} ms' where id = '${id}';
    update storage.s3_multipart_uploads_parts set created_at = now() - interval '${ms} ms' where upload_id = '${id}'`);
/** Waits until background work has finished and all parts are removed. */
const noParts = () =>
  eventually(async () => {
    const { parts, intents } = await server.files();
    return parts.length === 0 && intents.length === 0;
  });

test('rows and parts are removed if no part arrives during the lifetime of an upload', async () => {
  const [idle, fed, young] = [await create('idle'), await create('fed'), await create('young')];
  await send('idle', idle);
  await send('fed', fed);
  await send('young', young);
  await age(idle, lifetimeMs + 60_000);
  await age(fed, lifetimeMs + 60_000);
  await send('fed', fed, 2);
  await age(young, lifetimeMs - 60_000);
  expect(await expire()).toBe(1);
  expect(await partsOf('idle', idle)).toBe('NoSuchUpload');
  expect(await partsOf('fed', fed)).toBe(2);
  expect(await partsOf('young', young)).toBe(1);
  expect((await server.files()).parts).toHaveLength(3);
  await age(fed, lifetimeMs + 60_000);
  await age(young, lifetimeMs + 60_000);
  expect(await expire()).toBe(2);
  await noParts();
});

test('uploads that the hosted service created are kept', async () => {
  const id = await create('signed');
  await age(id, lifetimeMs * 2);
  await admin().exec(`update storage.s3_multipart_uploads set upload_signature = 'x' where id = '${id}'`);
  expect(await expire()).toBe(0);
  expect(await partsOf('signed', id)).toBe(0);
});

test('several processes abort each of many uploads once', async () => {
  await admin().exec(`
    insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version, created_at)
    select gen_random_uuid(), '', 'open', 'k' || n, gen_random_uuid(), now() - interval '2 hours'
    from generate_series(1, 250) n`);
  const counts = await Promise.all([expire(), expire(), expire()]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(250);
  expect(await admin().query(sql`select id from storage.s3_multipart_uploads`)).toEqual([]);
});

test('a part that is being recorded during the check prevents the removal', async () => {
  const id = await create('saved');
  await age(id, lifetimeMs * 2);
  const other = openOther();
  const session = await admin().connect();
  let expiring: Promise<number> | undefined;
  await session.transaction(async (tx) => {
    await tx.query(sql`select id from storage.s3_multipart_uploads where id = ${id} for update`);
    expiring = other.expire();
    await eventually(async () => {
      const waiting = await admin().query(sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%s3_multipart_uploads%'`);
      return waiting.length > 0;
    });
    await tx.query(sql`
      insert into storage.s3_multipart_uploads_parts (upload_id, part_number, bucket_id, key, etag, version)
      select id, 1, bucket_id, key, '"x"', version from storage.s3_multipart_uploads where id = ${id}`);
  });
  session.release();
  expect(await expiring).toBe(0);
  expect(await partsOf('saved', id)).toBe(1);
  await other.close();
});

test('a part that is still being sent when its upload is removed doesn’t leave anything behind', async ({
  skip,
}) => {
  skip(!server.backend.showsUnfinished, 'the backend doesn’t show when the first bytes have arrived');
  const id = await create('late');
  await age(id, lifetimeMs * 2);
  const signed = signByHand(server, {
    method: 'PUT',
    path: '/open/late',
    query: `uploadId=${id}&partNumber=1`,
    contentSha256: 'UNSIGNED-PAYLOAD',
  });
  const { promise: response, resolve, reject } = Promise.withResolvers<string | number>();
  const sending = request(
    signed.url,
    { method: 'PUT', headers: { ...signed.headers, 'content-length': '400000' } },
    (response) => {
      const web = new Response(response as unknown as ReadableStream, { status: response.statusCode ?? 0 });
      resolve(codeOf(web));
    },
  ).on('error', reject);
  // The file is created when more than 256 KiB have arrived.
  sending.write('x'.repeat(300_000));
  await eventually(async () => (await server.files()).parts.length === 1);
  expect(await expire()).toBe(1);
  sending.end('x'.repeat(100_000));
  expect(await response).toBe('NoSuchUpload');
  await noParts();
});

test('completing an upload during the removal creates either the whole object or none', async () => {
  for (let round = 0; round < 10; round += 1) {
    const Key = `raced-${round}`;
    const id = await create(Key);
    const parts = [await send(Key, id, 1), await send(Key, id, 2)];
    await age(id, lifetimeMs * 2);
    const [done, expired] = await Promise.allSettled([complete(Key, id, parts), expire()]);
    const read = await s3.send(new GetObjectCommand({ Bucket, Key })).then(
      ({ Body }) => Body?.transformToString(),
      (error: Error) => error.name,
    );
    expect([done.status, expired, read]).toEqual(
      done.status === 'fulfilled'
        ? ['fulfilled', { status: 'fulfilled', value: 0 }, 'partpart']
        : ['rejected', { status: 'fulfilled', value: 1 }, 'NoSuchKey'],
    );
  }
  await noParts();
});

test('if a process dies after removing the row, the next process removes the parts', async () => {
  const id = await create('orphaned');
  await send('orphaned', id);
  await age(id, lifetimeMs * 2);
  const dying = openOther((backend) => {
    const announce = backend.announce.bind(backend);
    return Object.assign(backend, {
      announce: async (versions: readonly string[]) => ({
        ...(await announce(versions)),
        settle: async () => undefined,
      }),
    });
  });
  expect(await dying.expire()).toBe(1);
  await dying.close();
  expect(await partsOf('orphaned', id)).toBe('NoSuchUpload');
  expect((await server.files()).parts).toHaveLength(1);
  const next = openOther();
  await next.backend.recover((versions) => findLivingVersions(admin(), versions));
  await next.close();
  expect(await server.files()).toMatchObject({ parts: [], intents: [] });
});
