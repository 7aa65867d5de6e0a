/**
 * Defines the theme as CSS variables. The build computes these variables (`build/theme-css.ts`), so pages don't need to
 * compute them.
 */
import { type CSSVariablesResolver, DEFAULT_THEME, mergeMantineTheme } from '@mantine/core';
import { theme } from './theme.ts';
import {
  type ColorName,
  colors,
  type Roles,
  roles,
  roleVariable,
  type Scheme,
  seriesColors,
} from './tokens.ts';

/** The theme, completed with Mantine's defaults. */
export const fullTheme = mergeMantineTheme(DEFAULT_THEME, theme);

/**
 * Returns a color's variables. The shades are chosen so that a "light" badge or button has a contrast of 4.5:1 in both
 * color schemes.
 */
function tinted(name: ColorName, scheme: Scheme): Record<string, string> {
  const shades = colors[name];
  const light = scheme === 'light';
  return {
    [`--mantine-color-${name}-light`]: light
      ? shades[0]
      : `color-mix(in srgb, ${shades[5]} 18%, transparent)`,
    [`--mantine-color-${name}-light-hover`]: light
      ? shades[1]
      : `color-mix(in srgb, ${shades[5]} 26%, transparent)`,
    [`--mantine-color-${name}-light-color`]: light ? shades[8] : shades[2],
    [`--mantine-color-${name}-outline`]: light ? shades[7] : shades[3],
    [`--mantine-color-${name}-text`]: light ? shades[7] : shades[3],
    [`--mantine-color-${name}-filled`]: light ? shades[7] : shades[6],
    [`--mantine-color-${name}-filled-hover`]: light ? shades[8] : shades[7],
  };
}

function forScheme(scheme: Scheme): Record<string, string> {
  const role = roles[scheme];
  const own = Object.fromEntries(
    (Object.keys(role) as (keyof Roles)[]).map((name) => [roleVariable(name), role[name]]),
  );
  const of = (name: keyof Roles): string => `var(${roleVariable(name)})`;
  const tints = Object.assign(
    {},
    ...(Object.keys(colors) as ColorName[]).map((name) => tinted(name, scheme)),
  );
  const lines = Object.fromEntries(
    seriesColors[scheme].map((color, index) => [`--plinth-series-${index + 1}`, color]),
  );
  return {
    ...own,
    ...lines,
    ...tints,
    '--mantine-color-text': of('text'),
    '--mantine-color-bright': of('text'),
    '--mantine-color-body': of('surface'),
    '--mantine-color-dimmed': of('dimmed'),
    '--mantine-color-placeholder': of('placeholder'),
    '--mantine-color-anchor': of('link'),
    '--mantine-color-error': of('danger'),
    '--mantine-color-success': of('success'),
    '--mantine-color-default': of('surface'),
    '--mantine-color-default-hover': of('hover'),
    '--mantine-color-default-color': of('text'),
    '--mantine-color-default-border': of('edge'),
    '--mantine-color-disabled': of('sunken'),
    '--mantine-color-disabled-color': of('dimmed'),
    '--mantine-color-disabled-border': of('line'),
    '--mantine-color-plinth-filled': of('primary'),
    '--mantine-color-plinth-filled-hover': of('primaryHover'),
    '--mantine-color-plinth-outline': of('link'),
    '--mantine-color-plinth-text': of('link'),
    '--mantine-primary-color-contrast': of('onPrimary'),
  };
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: forScheme('light'),
  dark: forScheme('dark'),
});
