/**
 * Tests that web pages of other origins can't use the local stack's public S3 key pair. Such pages also can't use a
 * service role token, which can sign S3 requests. Such pages can use a URL that the project's server has presigned,
 * unless any page could have created that URL.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestBackend, type TestBackendOptions } from '../../src/entry/testing.ts';
import { type ServeProcess, startServe } from './serve-process.ts';
import { handMade, inAnHour } from './world.ts';

const sql = `insert into storage.buckets (id, name, public) values ('private', 'private', false)`;
const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

interface Server {
  readonly url: string;
  readonly keys: {
    readonly s3: Pair;
    readonly publishableKey: string;
    readonly serviceRoleKey: string;
    readonly jwtSecret: string;
  };
  stop(): Promise<void>;
}

interface Pair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Returns an S3 client, whose signed requests are then sent with a browser's headers. */
const clientOf = (server: Server, credentials: Pair): S3Client =>
  new S3Client({
    endpoint: `${server.url}/storage/v1/s3`,
    forcePathStyle: true,
    region: 'local',
    credentials,
    maxAttempts: 1,
  });

const tokenOf = (role: string, jwtSecret: string): string =>
  handMade({ alg: 'HS256', typ: 'JWT' }, { role, sub: 'x', exp: inAnHour() }, jwtSecret);

const sessionOf = ({ keys }: Server, role: string): Pair => ({
  accessKeyId: 'stub',
  secretAccessKey: keys.publishableKey,
  sessionToken: tokenOf(role, keys.jwtSecret),
});

/** Returns the status of a read with a signature in its headers. */
async function readByHeaders(server: Server, credentials: Pair, marks: Record<string, string>) {
  const client = clientOf(server, credentials);
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, marks);
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'private', Key: 'a' }));
    return await Body?.transformToString();
  } catch (error) {
    return (error as { $metadata: { httpStatusCode?: number } }).$metadata.httpStatusCode;
  } finally {
    client.destroy();
  }
}

/** Returns the status of a read with a presigned URL. */
async function readByAddress(server: Server, credentials: Pair, marks: Record<string, string>) {
  const client = clientOf(server, credentials);
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket: 'private', Key: 'a' }));
  client.destroy();
  const response = await fetch(url, { headers: marks });
  return response.ok ? response.text() : response.status;
}

async function sendForm(server: Server, credentials: Pair, marks: Record<string, string>) {
  const client = clientOf(server, credentials);
  const { url, fields } = await createPresignedPost(client, { Bucket: 'private', Key: 'posted' });
  client.destroy();
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob(['x']), 'x');
  return (await fetch(url, { method: 'POST', body: form, headers: marks })).status;
}

async function fill({ url, keys }: Server): Promise<void> {
  const stored = await fetch(`${url}/storage/v1/object/private/a`, {
    method: 'POST',
    body: 'secret',
    headers: { authorization: `Bearer ${keys.serviceRoleKey}`, 'content-type': 'text/plain' },
  });
  expect(stored.status).toBe(200);
}

async function start(options: TestBackendOptions = {}): Promise<Server> {
  const server = await createTestBackend({ sql, config: {}, ...options });
  await fill(server);
  return server;
}

describe('with the public key pair', () => {
  let server: Server;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.stop());

  it('programs can read, but pages of another origin can’t, regardless of how they sign', async () => {
    for (const pair of [server.keys.s3, sessionOf(server, 'service_role')]) {
      expect(await readByHeaders(server, pair, {})).toBe('secret');
      expect(await readByHeaders(server, pair, evil)).toBe(403);
      expect(await readByAddress(server, pair, {})).toBe('secret');
      expect(await readByAddress(server, pair, evil)).toBe(403);
      expect(await readByAddress(server, pair, { origin: 'null' })).toBe(403);
      expect(await sendForm(server, pair, {})).toBe(200);
      expect(await sendForm(server, pair, evil)).toBe(403);
    }
  });

  it('pages of every origin can use user sessions', async () => {
    const session = sessionOf(server, 'authenticated');
    // The object isn't found, because policies hide it.
    expect(await readByHeaders(server, session, evil)).toBe(404);
    expect(await readByAddress(server, session, evil)).toBe(404);
  });
});

it('with a separate key pair, pages use presigned URLs from a server, without the pair or a service role token', async () => {
  const served: ServeProcess = await startServe({
    'supabase/migrations/20260101000000_bucket.sql': `${sql};`,
  });
  try {
    const { s3, jwtSecret, publishableKey } = JSON.parse(
      readFileSync(join(served.dataDir, 'secrets.json'), 'utf8'),
    );
    const serviceRoleKey = tokenOf('service_role', jwtSecret);
    const server: Server = {
      url: served.apiUrl,
      keys: { s3, jwtSecret, publishableKey, serviceRoleKey },
      stop: served.stop,
    };
    await fill(server);
    expect(await readByAddress(server, s3, evil)).toBe('secret');
    expect(await sendForm(server, s3, evil)).toBe(200);
    expect(await readByHeaders(server, s3, evil)).toBe(403);
    const session = sessionOf(server, 'service_role');
    expect(await readByAddress(server, session, {})).toBe('secret');
    expect(await readByHeaders(server, session, evil)).toBe(403);
    expect(await readByAddress(server, session, evil)).toBe(403);
  } finally {
    await served.stop();
  }
});

it('a setting allows pages to use secret keys', async () => {
  const server = await start({ config: { plinth: { server: { browser_secret_keys: true } } } });
  try {
    expect(await readByHeaders(server, server.keys.s3, evil)).toBe('secret');
  } finally {
    await server.stop();
  }
});
