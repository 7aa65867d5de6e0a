/** Adds the color scheme script to the head of a page, before any style sheet, with the nonce placeholder. */
import type { Plugin } from 'vite';
import { colorSchemeScript } from '../ui/color-scheme.ts';

export function schemeScriptPlugin(noncePlaceholder: string): Plugin {
  return {
    name: 'plinth-scheme-script',
    transformIndexHtml: () => [
      {
        tag: 'script',
        attrs: { nonce: noncePlaceholder },
        children: colorSchemeScript,
        injectTo: 'head-prepend',
      },
    ],
  };
}
