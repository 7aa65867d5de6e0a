/**
 * Excludes the modules with which Mantine writes its variables and helper classes into style elements at run time.
 * `ui/provider.tsx` turns both off because they are in static sheets, but the modules would still be loaded.
 */
import type { Plugin } from 'vite';

const leftOut =
  /\/@mantine\/core\/esm\/core\/MantineProvider\/(MantineCssVariables|MantineClasses)\/\1\.mjs$/;

export function withoutRuntimeStylesPlugin(): Plugin {
  return {
    name: 'plinth-without-runtime-styles',
    load(id) {
      const [, component] = leftOut.exec(id) ?? [];
      return component === undefined ? undefined : `export const ${component} = undefined;`;
    },
  };
}
