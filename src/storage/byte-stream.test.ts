import { expect, test } from 'vitest';
import { acquireChunk, chunkBytes, freeChunk, releaseChunk } from './byte-stream.ts';

test('a chunk that was given back is empty for who still holds it', () => {
  const chunk = acquireChunk();
  const part = chunk.subarray(10, 20);
  releaseChunk(part);
  expect(chunk.byteLength).toBe(0);
  expect(part.byteLength).toBe(0);
});

test('a chunk given back twice is lent once', () => {
  const chunk = acquireChunk();
  releaseChunk(chunk);
  releaseChunk(chunk);
  const lent = Array.from({ length: 40 }, acquireChunk);
  expect(new Set(lent.map(({ buffer }) => buffer)).size).toBe(lent.length);
  for (const one of lent) expect(one.byteLength).toBe(chunkBytes);
});

test('what no chunk is made of stays as it is', () => {
  const own = Buffer.alloc(10, 'x');
  releaseChunk(own);
  expect(own.toString()).toBe('xxxxxxxxxx');
});

test('only a chunk that owns its memory is freed', () => {
  const whole = Buffer.from(new ArrayBuffer(100));
  const part = whole.subarray(1);
  freeChunk(part);
  expect(whole.byteLength).toBe(100);
  freeChunk(whole);
  freeChunk(whole);
  expect(part.byteLength).toBe(0);
});
