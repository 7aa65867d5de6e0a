/**
 * Provides the theme and the color scheme to an app. This component doesn't add style elements, because the content
 * security policy would need to allow them.
 */
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { colorSchemeKey } from './color-scheme.ts';
import { theme } from './theme.ts';

const schemeManager = localStorageColorSchemeManager({ key: colorSchemeKey });

/** Returns the page's nonce, which some components need for style elements that implement responsive props. */
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
      // A static style sheet (`virtual:plinth-theme.css`) already contains the variables.
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
