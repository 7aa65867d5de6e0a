import { expect, test } from 'vitest';
import { acquireChunk, chunkBytes, freeChunk, releaseChunk } from './byte-stream.ts';

test('a released chunk is empty for code that still references it', () => {
  const chunk = acquireChunk();
  const part = chunk.subarray(10, 20);
  releaseChunk(part);
  expect(chunk.byteLength).toBe(0);
  expect(part.byteLength).toBe(0);
});

test('a chunk that is released twice is reused only once', () => {
  const chunk = acquireChunk();
  releaseChunk(chunk);
  releaseChunk(chunk);
  const lent = Array.from({ length: 40 }, acquireChunk);
  expect(new Set(lent.map(({ buffer }) => buffer)).size).toBe(lent.length);
  for (const one of lent) expect(one.byteLength).toBe(chunkBytes);
});

test('data that isn’t part of a chunk is unchanged', () => {
  const own = Buffer.alloc(10, 'x');
  releaseChunk(own);
  expect(own.toString()).toBe('xxxxxxxxxx');
});

test('only a chunk that owns its memory is released', () => {
  const whole = Buffer.from(new ArrayBuffer(100));
  const part = whole.subarray(1);
  freeChunk(part);
  expect(whole.byteLength).toBe(100);
  freeChunk(whole);
  freeChunk(whole);
  expect(part.byteLength).toBe(0);
});
