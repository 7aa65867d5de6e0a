import fc from 'fast-check';
import { expect, test } from 'vitest';
import { predatesBucketType } from '../routes/buckets.ts';
import { detectContentType } from './sniff.ts';
import { isoTimestamp } from './timestamps.ts';
import { parseMetadataField, parseMetadataHeader } from './user-metadata.ts';

const base64 = (value: string) => Buffer.from(value).toString('base64');

test('metadata is an object or rejected', () => {
  expect(parseMetadataField('{"a":1}')).toEqual({ a: 1 });
  expect(parseMetadataHeader(base64('{"ä":"ö"}'))).toEqual({ ä: 'ö' });
  for (const none of [undefined, '', '{', '[]', '1', 'null', '{"a":"\\u0000"}']) {
    expect(parseMetadataField(none)).toBeUndefined();
  }
});

test('headers are either parsed as an object or rejected', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const value = parseMetadataHeader(text);
      expect(value === undefined || typeof value === 'object').toBe(true);
    }),
  );
});

test('timestamps are converted to ISO dates with milliseconds', () => {
  expect(isoTimestamp('2026-11-21 04:10:36.123456+00')).toBe('2026-11-21T04:10:36.123Z');
  expect(isoTimestamp('2026-11-21 04:10:36.7+00')).toBe('2026-11-21T04:10:36.700Z');
  expect(isoTimestamp('2026-11-21 04:10:36+00')).toBe('2026-11-21T04:10:36.000Z');
  expect(isoTimestamp('infinity')).toBe('infinity');
  expect(isoTimestamp(null)).toBeNull();
});

test('old Python clients are recognized by their version', () => {
  expect(predatesBucketType('supabase-py/2.17.0', undefined)).toBe(true);
  expect(predatesBucketType('supabase-py/2.18.0', undefined)).toBe(false);
  expect(predatesBucketType(undefined, 'supabase-py/storage3 v0.12.0')).toBe(true);
  expect(predatesBucketType(undefined, 'supabase-py/storage3 v1.0.0')).toBe(false);
  expect(predatesBucketType('supabase-js/2.119.0', 'node')).toBe(false);
});

test.each([
  ['a.bin', Buffer.from('89504e470d0a1a0a00', 'hex'), 'image/png'],
  [
    'report.docx',
    Buffer.from('504b030400', 'hex'),
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  ['x.zip', Buffer.from('504b030400', 'hex'), 'application/zip'],
  ['style.css', Buffer.from('a{}'), 'text/css; charset=utf-8'],
  ['README', Buffer.from('hello'), 'text/plain; charset=utf-8'],
  ['blob', Buffer.from([1, 0, 2]), 'application/octet-stream'],
  ['constructor', Buffer.alloc(0), 'text/plain; charset=utf-8'],
])('%s has its media type', (name, bytes, expected) => {
  expect(detectContentType(name, bytes)).toBe(expected);
});
