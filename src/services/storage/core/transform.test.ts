import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseFormat, planPicture } from './picture.ts';
import {
  describeTransform,
  formats,
  gravities,
  maxSidePixels,
  parseTransform,
  printTransform,
  resizeModes,
} from './transform.ts';

const transforms = fc.record(
  {
    width: fc.integer({ min: 0, max: 100_000 }),
    height: fc.integer({ min: 0, max: 100_000 }),
    resize: fc.constantFrom(...resizeModes),
    format: fc.constantFrom(...formats),
    quality: fc.integer({ min: 20, max: 100 }),
    gravity: fc.constantFrom(...gravities),
    x_offset: fc.double({ min: -50, max: 50, noNaN: true }),
    y_offset: fc.double({ min: -50, max: 50, noNaN: true }),
  },
  { requiredKeys: [] },
);

describe('the text of a transformation in a token', () => {
  test('produces the same result as its original options', () => {
    fc.assert(
      fc.property(transforms, (transform) => {
        const read = parseTransform(printTransform(transform));
        expect(printTransform(read)).toBe(printTransform(transform));
        const size = { width: 640, height: 480 };
        expect(planPicture(size, read)).toEqual(planPicture(size, transform));
      }),
    );
  });

  test('omits offsets without a gravity, because they have no effect on the image', () => {
    const plain = { width: 1, height: 2 };
    const size = { width: 640, height: 480 };
    expect(printTransform({ ...plain, x_offset: 20 })).toBe(printTransform(plain));
    expect(planPicture(size, { ...plain, x_offset: 20 })).toEqual(planPicture(size, plain));
  });

  test('is parsed for any input', () => {
    fc.assert(
      fc.property(fc.string(), (text) => void planPicture({ width: 9, height: 7 }, parseTransform(text))),
    );
  });

  test('uses upstream’s names for the operations', () => {
    const transform = { width: 1, height: 5000, gravity: 'fp', x_offset: 0, y_offset: 1 } as const;
    expect(describeTransform(transform)).toEqual([
      `height:${maxSidePixels}`,
      'width:1',
      'resizing_type:fill',
      'gravity:fp:0:1',
    ]);
    expect(printTransform({ ...transform, resize: 'contain', format: 'webp', quality: 30 })).toBe(
      `height:${maxSidePixels},width:1,resize:contain,quality:30,format:webp,gravity:fp:0:1`,
    );
    expect(printTransform({ format: 'origin' })).toBe('');
  });
});

describe('transformation plans', () => {
  const size = { width: 400, height: 200 };

  test('keep the crop inside the image and never enlarge it', () => {
    const sizes = fc.record({
      width: fc.integer({ min: 1, max: 9000 }),
      height: fc.integer({ min: 1, max: 9000 }),
    });
    fc.assert(
      fc.property(sizes, transforms, (source, transform) => {
        const { scaled, crop } = planPicture(source, transform);
        expect(scaled.width).toBeGreaterThanOrEqual(1);
        expect(scaled.height).toBeGreaterThanOrEqual(1);
        expect(scaled.width).toBeLessThanOrEqual(source.width);
        expect(scaled.height).toBeLessThanOrEqual(source.height);
        if (!crop) return;
        expect(crop.left).toBeGreaterThanOrEqual(0);
        expect(crop.top).toBeGreaterThanOrEqual(0);
        expect(crop.left + crop.width).toBeLessThanOrEqual(scaled.width);
        expect(crop.top + crop.height).toBeLessThanOrEqual(scaled.height);
      }),
    );
  });

  test.each([
    [{}, { scaled: size }],
    [{ width: 100 }, { scaled: { width: 100, height: 50 } }],
    [{ height: 100 }, { scaled: { width: 200, height: 100 } }],
    [{ width: 800 }, { scaled: size }],
    [{ width: 100, height: 100, resize: 'contain' }, { scaled: { width: 100, height: 50 } }],
    [{ width: 100, height: 100, resize: 'fill' }, { scaled: { width: 100, height: 100 } }],
    [
      { width: 100, height: 100 },
      { scaled: { width: 200, height: 100 }, crop: { width: 100, height: 100, left: 50, top: 0 } },
    ],
    [
      { width: 100, height: 100, gravity: 'we' },
      { scaled: { width: 200, height: 100 }, crop: { width: 100, height: 100, left: 0, top: 0 } },
    ],
    [
      { width: 100, height: 100, gravity: 'ea', x_offset: 10 },
      { scaled: { width: 200, height: 100 }, crop: { width: 100, height: 100, left: 90, top: 0 } },
    ],
    [
      { width: 100, height: 100, gravity: 'fp', x_offset: 1, y_offset: 0 },
      { scaled: { width: 200, height: 100 }, crop: { width: 100, height: 100, left: 100, top: 0 } },
    ],
    [
      { width: 100, height: 100, gravity: 'sm' },
      { scaled: { width: 200, height: 100 }, attention: { width: 100, height: 100 } },
    ],
  ] as const)('%j', (transform, plan) => {
    expect(planPicture(size, transform)).toEqual(plan);
  });
});

test.each([
  [undefined, undefined, 'png', 'png'],
  [undefined, '*/*', 'jpeg', 'jpeg'],
  [undefined, 'image/avif,image/webp,*/*;q=0.8', 'jpeg', 'avif'],
  [undefined, 'image/webp, */*', 'jpeg', 'webp'],
  [undefined, 'image/avif;q=0, image/webp;q=0.5', 'jpeg', 'webp'],
  ['origin', 'image/avif', 'jpeg', 'jpeg'],
  ['webp', undefined, 'jpeg', 'webp'],
  [undefined, undefined, undefined, 'jpeg'],
] as const)('format %s, Accept %s, stored as %s: %s', (requested, accept, source, chosen) => {
  expect(chooseFormat(requested, accept, source)).toBe(chosen);
});
