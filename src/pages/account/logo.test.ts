import { expect, test } from 'vitest';
import { pictureType } from './logo.ts';

test.each([
  ['image/png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ['image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex')],
  ['image/gif', Buffer.from('GIF89a....')],
  ['image/webp', Buffer.from('RIFF....WEBPVP8 ')],
  ['image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['image/svg+xml', Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- ours --><svg width="1"/>')],
  [undefined, Buffer.from('<html><svg></svg></html>')],
  [undefined, Buffer.from('<script>alert(1)</script>')],
  [undefined, Buffer.alloc(0)],
])('%s', (type, bytes) => {
  expect(pictureType(bytes)).toBe(type);
});
