import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contrast } from '../../../../web/ui/contrast.ts';
import { roles } from '../../../../web/ui/tokens.ts';
import { brandColors, brandCss, grounds, monogram } from './branding.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe.each(['light', 'dark'] as const)('any brand color in the %s scheme', (scheme) => {
  test('buttons and links are readable', () => {
    fc.assert(
      fc.property(color, (brand) => {
        const { primary, primaryHover, onPrimary, primaryBorder, link } = brandColors(brand, scheme);
        expect(primary).toBe(brand);
        expect(contrast(onPrimary, primary)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(onPrimary, primaryHover)).toBeGreaterThanOrEqual(4.5);
        for (const ground of grounds[scheme]) {
          expect(contrast(link, ground)).toBeGreaterThanOrEqual(4.5);
          const edge = primaryBorder === 'transparent' ? primary : primaryBorder;
          expect(contrast(edge, ground)).toBeGreaterThanOrEqual(3);
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

test('a light color stays the color of buttons, with dark text', () => {
  for (const scheme of ['light', 'dark'] as const)
    expect(brandColors('#facc15', scheme)).toMatchObject({ primary: '#facc15', onPrimary: '#000000' });
  expect(brandColors('#facc15', 'light').link).not.toBe('#facc15');
  expect(brandColors('#facc15', 'dark')).toMatchObject({ link: '#facc15', primaryBorder: 'transparent' });
});

test('no color produces no CSS rules', () => {
  expect(brandCss(undefined)).toBe('');
  expect(brandCss('#0f766e')).toContain('--plinth-primary:#0f766e');
});

test('the monogram can’t escape its element', () => {
  expect(monogram('<script>', undefined)).toContain('&#60;</text>');
  expect(monogram('  ', '#ffffff')).toContain('>P</text>');
});
