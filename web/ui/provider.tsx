/**
 * Provides an app with the theme and color scheme. It adds no style element that a content security policy would have
 * to allow.
 */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { colorSchemeKey } from './color-scheme.ts';
import { theme } from './theme.ts';

const schemeManager = localStorageColorSchemeManager({ key: colorSchemeKey });

/** The page's nonce, for style elements that some components create for responsive props. */
function styleNonce(): string {
  if (typeof document === 'undefined') return '';
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
}

export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={schemeManager}
      getStyleNonce={styleNonce}
      // The variables are in a static style sheet (virtual:plinth-theme.css).
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
