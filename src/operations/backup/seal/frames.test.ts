import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameBytes, open, seal } from './frames.ts';
import { deriveWrappingKey, readOperatorKey } from './keys.ts';

const wrappingKey = deriveWrappingKey(randomBytes(32), 'target');
const headerBytes = 4 + 1 + 60;
const sealedFrameBytes = frameBytes + 16;

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function whole(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const sealed = (plain: Buffer, name = 'a'): Promise<Buffer> =>
  whole(seal(chunks(plain, 10_000), { wrappingKey, name, isCompressed: false }));

const opened = async (bytes: Buffer, name = 'a', key = wrappingKey): Promise<Buffer> =>
  whole((await open(chunks(bytes, 7_001), { wrappingKey: key, name })).bytes);

test.each([0, 1, frameBytes - 1, frameBytes, frameBytes + 1, 3 * frameBytes])(
  '%i bytes are encrypted and decrypted unchanged',
  async (size) => {
    const plain = randomBytes(size);
    const bytes = await sealed(plain);
    expect(await opened(bytes)).toEqual(plain);
    if (size > 16) expect(bytes.includes(plain.subarray(0, 16))).toBe(false);
  },
);

test('a change to any byte is detected', async () => {
  const bytes = await sealed(randomBytes(2 * frameBytes + 5));
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const tampered = Buffer.from(bytes);
      tampered[at] = (tampered[at] as number) ^ change;
      await expect(opened(tampered)).rejects.toMatchObject({ code: 'damaged' });
    }),
    { numRuns: 50 },
  );
});

test('a file that ends early is detected, even if it ends between frames', async () => {
  const bytes = await sealed(randomBytes(3 * frameBytes));
  const ends = [
    0,
    3,
    headerBytes,
    headerBytes + sealedFrameBytes,
    headerBytes + 2 * sealedFrameBytes,
    bytes.length - 1,
  ];
  for (const end of ends)
    await expect(opened(bytes.subarray(0, end)), String(end)).rejects.toMatchObject({ code: 'damaged' });
});

test('reordered, repeated and added frames are detected', async () => {
  const bytes = await sealed(randomBytes(3 * frameBytes));
  const header = bytes.subarray(0, headerBytes);
  const frames = [0, 1, 2].map((index) =>
    bytes.subarray(headerBytes + index * sealedFrameBytes, headerBytes + (index + 1) * sealedFrameBytes),
  ) as [Buffer, Buffer, Buffer];
  const [one, two, three] = frames;
  for (const order of [
    [two, one, three],
    [one, one, two, three],
    [one, three],
    [one, two, three, three],
  ])
    await expect(opened(Buffer.concat([header, ...order]))).rejects.toMatchObject({ code: 'damaged' });
});

test('a file with another name or key is rejected', async () => {
  const bytes = await sealed(Buffer.from('content'), 'wal/1');
  expect((await opened(bytes, 'wal/1')).toString()).toBe('content');
  await expect(opened(bytes, 'wal/2')).rejects.toMatchObject({ code: 'damaged' });
  const other = deriveWrappingKey(randomBytes(32), 'target');
  await expect(opened(bytes, 'wal/1', other)).rejects.toMatchObject({ code: 'damaged' });
});

test('the operator key has 32 bytes and never appears in an error message', () => {
  const key = randomBytes(32);
  expect(readOperatorKey(` ${key.toString('hex')}\n`)).toEqual(key);
  expect(readOperatorKey(key.toString('base64'))).toEqual(key);
  expect(readOperatorKey(key.toString('base64url'))).toEqual(key);
  expect(() => readOperatorKey('hunter2')).toThrow(/must be 32 bytes/);
  expect(() => readOperatorKey('hunter2')).not.toThrow(/hunter2/);
  expect(() => readOperatorKey('')).toThrow(/need an encryption key/);
});
