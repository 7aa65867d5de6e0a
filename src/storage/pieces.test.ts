import { expect, test } from 'vitest';
import { acquirePiece, freeChunk, pieceBytes, releasePiece } from './pieces.ts';

test('a piece that was given back is empty for who still holds it', () => {
  const piece = acquirePiece();
  const part = piece.subarray(10, 20);
  releasePiece(part);
  expect(piece.byteLength).toBe(0);
  expect(part.byteLength).toBe(0);
});

test('a piece given back twice is lent once', () => {
  const piece = acquirePiece();
  releasePiece(piece);
  releasePiece(piece);
  const lent = Array.from({ length: 40 }, acquirePiece);
  expect(new Set(lent.map(({ buffer }) => buffer)).size).toBe(lent.length);
  for (const one of lent) expect(one.byteLength).toBe(pieceBytes);
});

test('what no piece is made of stays as it is', () => {
  const own = Buffer.alloc(10, 'x');
  releasePiece(own);
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
