import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startChecksum } from './checksum.ts';
import { combineCrcs } from './crc.ts';
import { checksumOfParts, isSameChecksum, planChecksum, readChecksum } from './object-checksum.ts';

const sumOf = (name: Parameters<typeof startChecksum>[0], bytes: Uint8Array): Buffer => {
  const sum = startChecksum(name);
  sum.update(bytes);
  return sum.digest();
};

test.each(['crc32', 'crc32c', 'crc64nvme'] as const)(
  '%s of combined parts equals that of the whole',
  (name) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 8 }), (parts) => {
        const summed = parts.map((part) => ({ sum: sumOf(name, part), sizeBytes: part.length }));
        expect(combineCrcs(name, summed)).toEqual(sumOf(name, Buffer.concat(parts)));
      }),
    );
  },
);

test('ten thousand parts of 5 MiB are combined quickly', () => {
  const part = { sum: Buffer.from('12345678', 'hex'), sizeBytes: 5 * 1024 * 1024 };
  expect(
    combineCrcs(
      'crc32',
      Array.from({ length: 10_000 }, () => part),
    ),
  ).toHaveLength(4);
});

describe('checksum plans', () => {
  test.each([
    [undefined, undefined, undefined],
    ['CRC32', undefined, { algorithm: 'crc32', type: 'COMPOSITE' }],
    ['crc32c', 'FULL_OBJECT', { algorithm: 'crc32c', type: 'FULL_OBJECT' }],
    ['CRC64NVME', undefined, { algorithm: 'crc64nvme', type: 'FULL_OBJECT' }],
    ['SHA256', 'COMPOSITE', { algorithm: 'sha256', type: 'COMPOSITE' }],
  ])('%s, %s', (algorithm, type, plan) => {
    expect(planChecksum(algorithm, type)).toEqual(plan);
  });

  test.each([
    ['SHA1', 'FULL_OBJECT'],
    ['SHA256', 'FULL_OBJECT'],
    ['CRC64NVME', 'COMPOSITE'],
    [undefined, 'COMPOSITE'],
    ['CRC32', 'HALF'],
    ['MD5', undefined],
    ['constructor', undefined],
  ])('%s, %s is unsupported', (algorithm, type) => {
    expect(typeof planChecksum(algorithm, type)).toBe('string');
  });
});

test('a composite checksum is computed from the part checksums and includes their number', () => {
  const parts = ['one', 'two'].map((text) => ({
    value: sumOf('sha256', Buffer.from(text)).toString('base64'),
    sizeBytes: text.length,
  }));
  const checksum = checksumOfParts({ algorithm: 'sha256', type: 'COMPOSITE' }, parts);
  const both = Buffer.concat(parts.map(({ value }) => Buffer.from(value, 'base64')));
  const bare = sumOf('sha256', both).toString('base64');
  expect(checksum.value).toBe(`${bare}-2`);
  expect(readChecksum({ ...checksum })).toEqual(checksum);
  expect(isSameChecksum(checksum, bare)).toBe(true);
  expect(isSameChecksum(checksum, `${bare}-2`)).toBe(true);
  expect(isSameChecksum(checksum, `${bare}-3`)).toBe(false);
  expect(isSameChecksum(checksum, 'AAAA')).toBeUndefined();
  expect(isSameChecksum(checksum, `${bare}-2-2`)).toBeUndefined();
});
