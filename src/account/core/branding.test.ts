import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrast } from '../../../web/ui/contrast.ts';
import { roles } from '../../../web/ui/tokens.ts';
import { brandColors, brandCss, grounds, monogram } from './branding.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe.each(['light', 'dark'] as const)('any brand color in the %s scheme', (scheme) => {
  test('buttons and links are readable', () => {
    fc.assert(
      fc.property(color, (brand) => {
        const { primary, primaryHover, onPrimary, link } = brandColors(brand, scheme);
        expect(contrast(onPrimary, primary)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(onPrimary, primaryHover)).toBeGreaterThanOrEqual(4.5);
        for (const ground of grounds[scheme]) {
          expect(contrast(link, ground)).toBeGreaterThanOrEqual(4.5);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('colors are readable on the backgrounds of the theme', () => {
    const { surface, page, sunken } = roles[scheme];
    expect(grounds[scheme]).toEqual([surface, page, sunken]);
  });
});

test('a color with enough contrast is unchanged', () => {
  expect(brandColors('#0f766e', 'light')).toMatchObject({ primary: '#0f766e', onPrimary: '#ffffff' });
});

test('no color produces no CSS rules', () => {
  expect(brandCss(undefined)).toBe('');
  expect(brandCss('#0f766e')).toContain('--plinth-primary:#0f766e');
});

test('the monogram can’t escape its element', () => {
  expect(monogram('<script>', undefined)).toContain('&#60;</text>');
  expect(monogram('  ', '#ffffff')).toContain('>P</text>');
});
