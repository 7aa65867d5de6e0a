import { expect, test } from 'vitest';
import { configFrom } from '../../src/platform/config/index.ts';
import { seedBuckets } from '../../src/project/folder/index.ts';
import { makeProject } from '../config/project-folder.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Simulates a storage service that has one bucket, and records its calls. */
function recordingStorage(refuse?: string) {
  const calls: Call[] = [];
  const fetch = async (path: string, init: RequestInit = {}) => {
    const request = new Request(`http://localhost${path}`, init);
    const { method, headers } = request;
    calls.push({ method, path, headers: Object.fromEntries(headers), body: await request.text() });
    if (refuse !== undefined && path.includes(refuse)) {
      return Response.json(
        { statusCode: '413', message: 'The object exceeded the maximum allowed size' },
        { status: 413 },
      );
    }
    return Response.json(method === 'GET' ? [{ id: 'old', name: 'old' }] : {});
  };
  return { calls, fetch };
}

const files = { 'supabase/images/a.png': 'png', 'supabase/images/sub/ä b.txt': 'text' };

function settings(projectDir: string) {
  return configFrom(
    {
      storage: {
        buckets: {
          old: { public: true },
          images: { file_size_limit: 5, allowed_mime_types: ['image/png'], objects_path: './images' },
        },
      },
    },
    `${projectDir}/supabase`,
  );
}

test('buckets are created, updated and filled as in upstream', async () => {
  const { calls, fetch } = recordingStorage();
  const config = settings(makeProject(files));
  await seedBuckets({ config, fetch, secretKey: 'KEY', onProgress: () => {} });
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /storage/v1/bucket',
    'PUT /storage/v1/bucket/old',
    'POST /storage/v1/bucket',
    'POST /storage/v1/object/images/a.png',
    'POST /storage/v1/object/images/sub/%C3%A4%20b.txt',
  ]);
  const [, update, create, upload] = calls;
  expect(JSON.parse(update?.body ?? '')).toEqual({
    public: true,
    file_size_limit: 52_428_800,
    allowed_mime_types: null,
  });
  expect(JSON.parse(create?.body ?? '')).toEqual({
    name: 'images',
    public: false,
    file_size_limit: 5,
    allowed_mime_types: ['image/png'],
  });
  expect(upload?.headers).toMatchObject({
    apikey: 'KEY',
    'x-upsert': 'true',
    'cache-control': 'max-age=3600',
    'content-type': 'image/png',
  });
  // The gateway derives a token from the key.
  expect(upload?.headers).not.toHaveProperty('authorization');
  expect(upload?.body).toBe('png');
});

test('an error contains the bucket and the reason', async () => {
  const { fetch } = recordingStorage('a.png');
  const config = settings(makeProject(files));
  await expect(seedBuckets({ config, fetch, secretKey: '', onProgress: () => {} })).rejects.toThrow(
    'Failed to create or update the bucket images: The object exceeded the maximum allowed size',
  );
});

test('a bucket limit above the limit of all buckets is rejected, and the message names both settings', async () => {
  const { calls, fetch } = recordingStorage();
  const storage = { file_size_limit: 1024, buckets: { images: { file_size_limit: 2048 } } };
  const config = configFrom({ storage }, makeProject({}));
  await expect(seedBuckets({ config, fetch, secretKey: '', onProgress: () => {} })).rejects.toThrow(
    'storage.buckets.images.file_size_limit is greater than storage.file_size_limit',
  );
  expect(calls).toMatchObject([{ method: 'GET' }]);
});

test('a missing folder causes a warning, and the bucket is created', async () => {
  const { calls, fetch } = recordingStorage();
  const progress: string[] = [];
  const projectDir = makeProject({});
  const onProgress = (message: string) => progress.push(message);
  await seedBuckets({ config: settings(projectDir), fetch, secretKey: '', onProgress });
  expect(progress).toContain(
    `storage.buckets.images.objects_path: the folder ${projectDir}/supabase/images doesn't exist, so no files are uploaded to the bucket.`,
  );
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toContain('POST /storage/v1/bucket');
});

test('without buckets, no request is sent', async () => {
  const { calls, fetch } = recordingStorage();
  await seedBuckets({ config: configFrom({}), fetch, secretKey: '', onProgress: () => {} });
  expect(calls).toEqual([]);
});
