/** Tests image transformations for callers who can read the object. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, eventually, type StorageServer, startStorage } from './server.ts';

let server: StorageServer;
let photo: Buffer;
beforeAll(async () => {
  server = await startStorage();
  // The left half of the image is red and the right half is blue.
  const half = { width: 200, height: 200, channels: 3 as const };
  const red = await sharp({ create: { ...half, background: '#f00' } })
    .png()
    .toBuffer();
  photo = await sharp({ create: { ...half, width: 400, background: '#00f' } })
    .composite([{ input: red, left: 0, top: 0 }])
    .jpeg({ quality: 95 })
    .toBuffer();
  await store('photo.jpg', photo, 'image/jpeg');
  await server.client(alice).from('private').upload(`${alice.sub}/photo.jpg`, photo);
});
afterAll(() => server.stop());

async function store(key: string, body: Buffer, contentType: string): Promise<void> {
  const { error } = await server.client().from('open').upload(key, body, { contentType, upsert: true });
  expect(error).toBeNull();
}
const ask = (path: string, headers: Record<string, string> = {}) =>
  server.request(`/render/image/public/open/${path}`, { claims: null, headers });
async function pictureOf(response: Response) {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status, response.status === 200 ? '' : bytes.toString()).toBe(200);
  return { bytes, ...(await sharp(bytes).metadata()) };
}
/** Returns which of the colors red and blue is stronger in a pixel. */
async function colorAt(bytes: Buffer, left: number, top: number): Promise<'red' | 'blue'> {
  const { data } = await sharp(bytes)
    .removeAlpha()
    .extract({ left, top, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return (data[0] ?? 0) > (data[2] ?? 0) ? 'red' : 'blue';
}

describe('sizes', () => {
  test.each([
    ['', 400, 200],
    ['width=100', 100, 50],
    ['height=100', 200, 100],
    ['width=100&height=100', 100, 100],
    ['width=100&height=100&resize=contain', 100, 50],
    ['width=100&height=100&resize=fill', 100, 100],
    ['width=5000', 400, 200],
    ['width=0&height=0', 400, 200],
  ])('are correct for %s', async (query, width, height) => {
    expect(await pictureOf(await ask(`photo.jpg?${query}`))).toMatchObject({ format: 'jpeg', width, height });
  });

  test('are cropped at the requested position', async () => {
    for (const [gravity, color] of [
      ['we', 'red'],
      ['ea', 'blue'],
      ['fp&x_offset=0&y_offset=0.5', 'red'],
      ['fp&x_offset=1&y_offset=0.5', 'blue'],
    ] as const) {
      const { bytes } = await pictureOf(await ask(`photo.jpg?width=50&height=100&gravity=${gravity}`));
      expect(await colorAt(bytes, 25, 50), gravity).toBe(color);
    }
    await pictureOf(await ask('photo.jpg?width=50&height=100&gravity=sm'));
  });

  test('respect the camera’s orientation', async () => {
    await store('turned.jpg', await sharp(photo).withMetadata({ orientation: 6 }).toBuffer(), 'image/jpeg');
    const turned = await pictureOf(await ask('turned.jpg?width=100'));
    expect(turned).toMatchObject({ width: 100, height: 200 });
    expect(turned.orientation).toBeUndefined();
  });

  test.each([
    'width=-1',
    'width=x',
    'quality=10',
    'resize=zoom',
    'format=tiff',
    'gravity=fp',
    'gravity=fp&x_offset=2&y_offset=0',
  ])('are rejected for %s', async (query) => {
    const response = await ask(`photo.jpg?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'InvalidRequest' });
  });
});

describe('formats', () => {
  test.each([
    ['', '*/*', 'image/jpeg'],
    ['', 'image/webp,*/*', 'image/webp'],
    ['', 'image/avif,image/webp,*/*', 'image/avif'],
    ['format=origin', 'image/avif,image/webp', 'image/jpeg'],
    ['format=webp', '*/*', 'image/webp'],
    ['format=avif', '*/*', 'image/avif'],
  ])('%s for Accept: %s', async (query, accept, type) => {
    const response = await ask(`photo.jpg?width=50&${query}`, { accept });
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('vary')).toBe(query === '' ? 'Accept' : null);
    const { format, compression } = await pictureOf(response);
    expect(`image/${format === 'heif' && compression === 'av1' ? 'avif' : format}`).toBe(type);
  });

  test('the quality changes the file size', async () => {
    const noise = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 50 },
      },
    })
      .png()
      .toBuffer();
    await store('noise.jpg', await sharp(noise).jpeg({ quality: 100 }).toBuffer(), 'image/jpeg');
    const [low, high] = await Promise.all(
      [20, 100].map(
        async (quality) => (await pictureOf(await ask(`noise.jpg?quality=${quality}`))).bytes.length,
      ),
    );
    expect(low).toBeLessThan((high ?? 0) / 2);
  });

  test('an animated image is shown as a still image', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0'].map((background) =>
        sharp({ create: { width: 9, height: 9, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(2);
    await store('moving.gif', moving, 'image/gif');
    const still = await pictureOf(await ask('moving.gif'));
    expect(still).toMatchObject({ format: 'gif', width: 9, height: 9 });
    expect(still.pages ?? 1).toBe(1);
  });
});

describe('responses', () => {
  test('have headers for the transformation and can be cached', async () => {
    const response = await ask(
      'photo.jpg?width=20&height=20&quality=50&gravity=fp&x_offset=0&y_offset=1&download=my%20cat%27s.jpg',
    );
    expect(response.headers.get('x-transformations')).toBe(
      'height:20,width:20,resizing_type:fill,quality:50,gravity:fp:0:1',
    );
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="my cat's.jpg"; filename*=UTF-8''my%20cat%27s.jpg`,
    );
    expect(response.headers.get('cache-control')).toBe('max-age=3600');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = response.headers.get('etag') ?? '';
    expect((await ask('photo.jpg?width=21')).headers.get('etag')).not.toBe(etag);
    const query = 'photo.jpg?width=20&height=20&quality=50&gravity=fp&x_offset=0&y_offset=1';
    expect((await ask(query, { 'if-none-match': etag })).status).toBe(304);
  });

  test('are cached and removed with their object', async () => {
    await store('cached.jpg', photo, 'image/jpeg');
    const versions = () => readdir(join(server.dataDir, 'storage', 'pictures'));
    const before = await versions();
    const first = await pictureOf(await ask('cached.jpg?width=30'));
    const [version] = (await versions()).filter((name) => !before.includes(name));
    expect(await readdir(join(server.dataDir, 'storage', 'pictures', version ?? ''))).toHaveLength(1);
    expect((await pictureOf(await ask('cached.jpg?width=30'))).bytes.equals(first.bytes)).toBe(true);
    await store('cached.jpg', await sharp(photo).rotate(180).toBuffer(), 'image/jpeg');
    const second = await pictureOf(await ask('cached.jpg?width=30'));
    expect(await colorAt(second.bytes, 2, 2)).not.toBe(await colorAt(first.bytes, 2, 2));
    await eventually(async () => !(await versions()).includes(version ?? ''));
    await server.client().from('open').remove(['cached.jpg']);
    expect((await ask('cached.jpg?width=30')).status).toBe(400);
    await eventually(async () => (await versions()).length === before.length);
  });
});

describe('access', () => {
  const key = `${alice.sub}/photo.jpg`;

  test('is the same as for the object', async () => {
    const authenticated = (claims: typeof alice | null) =>
      server.request(`/render/image/authenticated/private/${key}?width=10`, { claims });
    expect((await pictureOf(await authenticated(alice))).width).toBe(10);
    expect(await (await authenticated(bob)).json()).toMatchObject({ statusCode: '404', code: 'NoSuchKey' });
    expect(await (await authenticated(null)).json()).toMatchObject({ code: 'InvalidRequest' });
    const open = await server.request(`/render/image/public/private/${key}`, { claims: null });
    expect(await open.json()).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' });
  });

  test('with a signed link is limited to the object in the link', async () => {
    const files = server.client(alice).from('private');
    const { data } = await files.createSignedUrl(key, 60, { transform: { width: 12, resize: 'contain' } });
    const url = new URL(data?.signedUrl ?? '');
    expect(url.pathname).toContain('/render/image/sign/private/');
    url.searchParams.set('width', '300');
    const response = await fetch(url);
    expect(response.headers.get('expires')).toMatch(/GMT$/);
    expect(response.headers.get('cache-control')).toBeNull();
    expect((await pictureOf(response)).width).toBe(12);
    // A link to the transformed image doesn't give access to the original image.
    const original = new URL(url.href.replace('/render/image/sign/', '/object/sign/'));
    expect(await (await fetch(original)).json()).toMatchObject({ code: 'InvalidSignature' });
    url.pathname = url.pathname.replace('photo', 'other');
    expect(await (await fetch(url)).json()).toMatchObject({ code: 'InvalidSignature' });
    const upload = await files.createSignedUploadUrl(`${alice.sub}/new.jpg`);
    const misused = await server.request(
      `/render/image/sign/private/${alice.sub}/new.jpg?token=${upload.data?.token}`,
      { claims: null },
    );
    expect(await misused.json()).toMatchObject({ code: 'InvalidSignature' });
    expect((await files.createSignedUrl(key, 60)).data?.signedUrl).toContain('/object/sign/');
  });
});

/** Returns a PNG image that declares this size and whose data consists of zeros. */
function png(width: number, height: number, rows: number): Buffer {
  const crcTable = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    let crc = 0xffffffff;
    for (const byte of named) crc = (crcTable[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(rows * (width + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('files that can’t be rendered get an error', () => {
  const unsupported = 'The source image is invalid or unsupported for rendering';
  const cases: [string, () => Promise<Buffer> | Buffer, string][] = [
    ['text', () => Buffer.from('not an image'), unsupported],
    ['nothing', () => Buffer.alloc(0), unsupported],
    [
      'SVG',
      () =>
        Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
        ),
      unsupported,
    ],
    ['PDF', () => Buffer.from('%PDF-1.4\n1 0 obj'), unsupported],
    ['an incompatible HEIF', () => Buffer.from('00000010667479706d69663100000000', 'hex'), unsupported],
    ['an incomplete image', () => photo.subarray(0, photo.length / 2), unsupported],
    [
      'damaged data',
      () => Buffer.concat([photo.subarray(0, 20), deflateRawSync(Buffer.alloc(1000))]),
      unsupported,
    ],
    [
      'a decompression bomb',
      () => png(50_000, 50_000, 100),
      'The source image resolution is too large to process',
    ],
    ['a large file', () => Buffer.alloc(25_000_001), 'The source image file is too large to process'],
  ];
  test.each(cases)('%s', async (name, body, message) => {
    const key = `bad/${encodeURIComponent(name).replaceAll('%', '')}`;
    await store(key, await body(), 'image/png');
    for (const query of ['', '?width=10']) {
      const response = await ask(`${key}${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        statusCode: '400',
        error: 'InvalidRequest',
        message,
        code: 'InvalidRequest',
      });
    }
  });

  test('except for a file with only a wrong checksum', async () => {
    const dot =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+/p94AAAAASUVORK5CYII=';
    await store('dot.png', Buffer.from(dot, 'base64'), 'image/png');
    expect(await pictureOf(await ask('dot.png?width=1&height=1'))).toMatchObject({ width: 1, height: 1 });
  });
});

test('if transformations are turned off, a URL for a transformed image isn’t signed', async () => {
  const off = await startStorage({ storage: { image_transformation: { enabled: false } } });
  await off.request('/object/open/a.txt', { method: 'POST', body: 'x' });
  const sign = (body: object) =>
    off.request('/object/sign/open/a.txt', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ expiresIn: 60, ...body }),
    });
  const refused = await sign({ transform: { width: 10 } });
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'FeatureNotEnabled']);
  expect((await sign({})).status).toBe(200);
  expect((await off.request('/render/image/public/open/a.txt?width=10')).status).toBe(404);
  await off.stop();
});
