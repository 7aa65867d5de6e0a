/**
 * Excludes the modules that Mantine uses to write its variables and helper classes into style elements at run time.
 * Static style sheets replace these elements, so `ui/provider.tsx` turns off both kinds. Without this plugin, the
 * modules would still be part of the bundle.
 */
import type { Plugin } from 'vite';

const skipped =
  /\/@mantine\/core\/esm\/core\/MantineProvider\/(MantineCssVariables|MantineClasses)\/\1\.mjs$/;

export function withoutRuntimeStylesPlugin(): Plugin {
  return {
    name: 'plinth-without-runtime-styles',
    load(id) {
      const [, component] = skipped.exec(id) ?? [];
      return component === undefined ? undefined : `export const ${component} = undefined;`;
    },
  };
}
