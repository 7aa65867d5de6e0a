import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration, parseSize, printDuration, printSize } from './values.ts';

describe('durations', () => {
  test.each([
    ['0', 0],
    ['1s', 1000],
    ['2m30s', 150_000],
    ['24h', 86_400_000],
    ['1.5h', 5_400_000],
    ['100ms', 100],
    ['1h0m0s', 3_600_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toEqual({ value: ms });
  });

  test.each(['', '5', 's', '5 s', '-5s', '5d', 'soon'])('%j is rejected', (text) => {
    expect(parseDuration(text)).toHaveProperty('fault');
  });

  test('parsing a printed value returns the same value', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 9), (ms) => {
        expect(parseDuration(printDuration(ms))).toEqual({ value: ms });
      }),
    );
  });
});

describe('sizes', () => {
  test.each([
    ['50MiB', 52_428_800],
    ['5MB', 5_242_880],
    ['500KB', 512_000],
    ['500 kb', 512_000],
    ['1.5g', 1_610_612_736],
    ['1024', 1024],
    ['1TiB', 1_099_511_627_776],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toEqual({ value: bytes });
  });

  test.each(['', 'MB', '5XB', '-1', '5  MB'])('%j is rejected', (text) => {
    expect(parseSize(text)).toHaveProperty('fault');
  });

  test('parsing a printed value returns the same value', () => {
    fc.assert(
      fc.property(fc.nat(), (bytes) => {
        expect(parseSize(printSize(bytes))).toEqual({ value: bytes });
      }),
    );
  });
});
