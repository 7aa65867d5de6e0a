import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementHeight, maxPixels, scrolled, scrollTopFor, topToShow } from './scroll.ts';

const short = { whole: 3_300_000, view: 700 };
const long = { whole: 330_000_000, view: 700 };

test('the scroll range of a short table has the table’s height', () => {
  expect(elementHeight(short)).toBe(3_300_000);
  expect(scrolled(short, { scrollTop: 0, top: 0 }, 5000)).toEqual({ scrollTop: 5000, top: 5000 });
});

test('a long table fits every browser’s limit, and its first and last rows are reachable', () => {
  expect(elementHeight(long)).toBe(maxPixels);
  const end = maxPixels - long.view;
  expect(scrolled(long, { scrollTop: 0, top: 0 }, end).top).toBe(long.whole - long.view);
  expect(scrolled(long, { scrollTop: end, top: 5000 }, 0).top).toBe(0);
});

test('a small step moves by pixels, and a large one proportionally', () => {
  const scrollState = { scrollTop: 1_000_000, top: 22_000_000 };
  expect(scrolled(long, scrollState, 1_000_033).top).toBe(22_000_033);
  expect(scrolled(long, scrollState, 7_499_650).top).toBeCloseTo(164_999_650, -3);
});

test('every row can be reached and shown completely', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9_999_999 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (row, from) => {
        const top = topToShow(long, from * (long.whole - long.view), row * 33, 33);
        expect(top).toBeLessThanOrEqual(row * 33);
        expect(top + long.view).toBeGreaterThanOrEqual(row * 33 + 33);
        expect(scrollTopFor(long, top)).toBeLessThanOrEqual(maxPixels);
      },
    ),
  );
});
