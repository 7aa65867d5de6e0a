import { describe, expect, test } from 'vitest';
import { contrast } from './contrast.ts';
import { edgePairs, roles, roleVariable, type Scheme, seriesColors, textPairs } from './tokens.ts';

describe.each(['light', 'dark'] as const satisfies Scheme[])('%s scheme', (scheme) => {
  test.each(textPairs)('%s on %s is readable', (text, background) => {
    expect(contrast(roles[scheme][text], roles[scheme][background])).toBeGreaterThanOrEqual(4.5);
  });

  test.each(edgePairs)('%s has sufficient contrast with %s', (edge, background) => {
    expect(contrast(roles[scheme][edge], roles[scheme][background])).toBeGreaterThanOrEqual(3);
  });

  test('lines in charts have sufficient contrast and different colors', () => {
    const colors = seriesColors[scheme];
    expect(new Set(colors).size).toBe(colors.length);
    for (const color of colors)
      expect(contrast(color, roles[scheme].surface), color).toBeGreaterThanOrEqual(3);
  });
});

test('contrast is calculated according to WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(() => contrast('red', '#ffffff')).toThrow('#rrggbb');
});

test('roles become kebab-case variables', () => {
  expect(roleVariable('dangerBox')).toBe('--plinth-danger-box');
});
