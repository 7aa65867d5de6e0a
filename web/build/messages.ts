/**
 * Compiles the catalogs (`web/locales/<locale>/*.ts`, each of which exports `messages`) from ICU text to Lingui's
 * format.
 */
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';

const catalogPath = /\/web\/locales\/[a-z-]+\/[a-z-]+\.ts$/;

export function messagesPlugin(): Plugin {
  return {
    name: 'plinth-messages',
    enforce: 'pre',
    async load(id) {
      if (!catalogPath.test(id)) return undefined;
      const source = (await import(`${pathToFileURL(id).href}?${statSync(id).mtimeMs}`)) as {
        messages: Record<string, string>;
      };
      const compiled = Object.entries(source.messages).map(([key, text]) => [key, compileMessage(text)]);
      return `export const messages = ${JSON.stringify(Object.fromEntries(compiled))};`;
    },
  };
}
