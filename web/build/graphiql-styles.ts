/**
 * Adapts GraphiQL's style sheet to the Console. Removes its fonts, which are nine tenths of the style sheet and `data:`
 * URIs, which the content security policy doesn't allow. Replaces its colors, because some have too little contrast.
 */
import type { Plugin } from 'vite';

const isStyleSheet = /\/node_modules\/graphiql\/dist\/style\.css$/;

/** The values of the style sheet's variables in the light and in the dark scheme, and their replacements. */
const replacements: readonly (readonly [variable: string, from: string, to: string])[] = [
  ['--color-primary', '320, 95%, 43%', '226, 66%, 45%'],
  ['--color-secondary', '242, 51%, 61%', '262, 51%, 45%'],
  ['--color-tertiary', '188, 100%, 36%', '188, 100%, 22%'],
  ['--color-info', '208, 100%, 46%', '208, 100%, 32%'],
  ['--color-success', '158, 60%, 42%', '158, 80%, 22%'],
  ['--color-warning', '36, 100%, 41%', '30, 100%, 27%'],
  ['--color-error', '13, 93%, 58%', '8, 80%, 38%'],
  ['--color-neutral', '219, 28%, 32%', '45, 8%, 26%'],
  ['--color-base', '219, 28%, 100%', '0, 0%, 100%'],
  ['--color-primary', '338, 100%, 67%', '226, 90%, 78%'],
  ['--color-secondary', '243, 100%, 77%', '262, 90%, 82%'],
  ['--color-error', '13, 100%, 58%', '8, 90%, 74%'],
  ['--color-neutral', '219, 29%, 78%', '45, 10%, 80%'],
  ['--color-base', '219, 29%, 18%', '45, 10%, 9%'],
  ['--alpha-secondary', '.76', '.95'],
  ['--alpha-tertiary', '.5', '.85'],
  ['--font-family', '"Roboto", sans-serif', 'var(--mantine-font-family)'],
  ['--font-family-mono', '"Fira Code", monospace', 'var(--mantine-font-family-monospace)'],
];

export function graphiqlStylesPlugin(): Plugin {
  return {
    name: 'plinth-graphiql-styles',
    enforce: 'pre',
    transform(code, id) {
      if (!isStyleSheet.test(id)) return undefined;
      const adapted = replacements.reduce(
        (css, [variable, from, to]) => {
          const declaration = `${variable}: ${from};`;
          if (!css.includes(declaration))
            throw new Error(`GraphiQL's style sheet doesn't contain ${declaration}`);
          return css.replaceAll(declaration, `${variable}: ${to};`);
        },
        code.replaceAll(/@font-face\s*\{[^}]*\}/g, ''),
      );
      return { code: adapted, map: null };
    },
  };
}
