/**
 * The Mantine theme of both apps, with system fonts (the Console adds its own font in `console/fonts.css`), Plinth's
 * colors, and Plinth's color roles as CSS variables.
 */
import { createTheme, defaultVariantColorsResolver, type MantineColorsTuple } from '@mantine/core';
import { type ColorName, colors } from './tokens.ts';

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
  // A brand color may be light, so text on a brand color uses a separate role instead of always being white.
  variantColorResolver(input) {
    const colors = defaultVariantColorsResolver(input);
    const isPrimary = input.color === undefined || input.color === input.theme.primaryColor;
    return input.variant === 'filled' && isPrimary
      ? {
          ...colors,
          color: 'var(--plinth-on-primary)',
          border: '1px solid var(--plinth-primary-border, transparent)',
        }
      : colors;
  },
  components: {
    ActionIcon: { classNames: { root: 'plinth-icon-button' } },
    // An overlay dims the page, but the page stays readable.
    DrawerOverlay: { defaultProps: { backgroundOpacity: 0.35 } },
    ModalOverlay: { defaultProps: { backgroundOpacity: 0.35 } },
    Checkbox: {
      defaultProps: { radius: 'xs' },
      classNames: { input: 'plinth-checkbox', description: 'plinth-hint', error: 'plinth-error' },
    },
    Radio: { classNames: { radio: 'plinth-checkbox', description: 'plinth-hint', error: 'plinth-error' } },
    Input: { classNames: { wrapper: 'plinth-input' } },
    Menu: { classNames: { dropdown: 'plinth-popover', item: 'plinth-menu-item' } },
    Modal: { classNames: { content: 'plinth-dialog', title: 'plinth-dialog-title' } },
    Popover: { classNames: { dropdown: 'plinth-popover' } },
    Switch: {
      defaultProps: { withThumbIndicator: false },
      classNames: { track: 'plinth-switch', label: 'plinth-switch-label', description: 'plinth-hint' },
    },
    Button: { classNames: { root: 'plinth-button', loader: 'plinth-loader' } },
    InputWrapper: {
      // Screen readers announce the error even if the field already has focus.
      defaultProps: { errorProps: { role: 'alert' } },
      classNames: { label: 'plinth-label', description: 'plinth-hint', error: 'plinth-error' },
    },
  },
});
