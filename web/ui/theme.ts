/** The Mantine theme of both faces: system fonts, our colours, our roles as CSS variables. */
import {
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  mergeMantineTheme,
} from '@mantine/core';
import { type ColorName, colors, type Roles, roles, roleVariable, type Scheme } from './tokens.ts';

declare module '@mantine/core' {
  export interface MantineThemeColorsOverride {
    colors: Record<ColorName, MantineColorsTuple>;
  }
}

const systemFonts =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const systemMono = 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace';

export const theme = createTheme({
  colors: colors as unknown as Record<ColorName, MantineColorsTuple>,
  primaryColor: 'plinth',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: systemFonts,
  fontFamilyMonospace: systemMono,
  defaultRadius: 'md',
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1rem' },
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: {
    fontFamily: systemFonts,
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
      h4: { fontSize: '0.9375rem', lineHeight: '1.45' },
      h5: { fontSize: '0.875rem', lineHeight: '1.45' },
      h6: { fontSize: '0.8125rem', lineHeight: '1.45' },
    },
  },
  fontWeights: { regular: '400', medium: '500', bold: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  // A brand's colour may be light: the text on it is a role like any other, not always white.
  variantColorResolver(input) {
    const colors = defaultVariantColorsResolver(input);
    const isPrimary = input.color === undefined || input.color === input.theme.primaryColor;
    return input.variant === 'filled' && isPrimary
      ? { ...colors, color: 'var(--plinth-on-primary)' }
      : colors;
  },
  components: { InputWrapper: { classNames: { label: 'plinth-label' } } },
});

/** The theme with Mantine's own defaults filled in. */
export const fullTheme = mergeMantineTheme(DEFAULT_THEME, theme);

/** Shades are picked so that a "light" badge or button keeps 4.5:1 in both schemes. */
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
  return {
    ...own,
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
    '--mantine-color-default-border': of('control'),
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
