/**
 * Replaces two packages of which GraphiQL uses little, and which would be a third of its scripts: `framer-motion` lets
 * users drag the tabs to another place, and `markdown-it` renders descriptions.
 */
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const substitute = (name: string): string =>
  fileURLToPath(new URL(`../console/features/graphql/substitutes/${name}`, import.meta.url));

const substitutes: Readonly<Record<string, string>> = {
  'framer-motion': substitute('reorder.ts'),
  'markdown-it': substitute('markdown.ts'),
};

export function graphiqlPartsPlugin(): Plugin {
  return {
    name: 'plinth-graphiql-parts',
    enforce: 'pre',
    resolveId: (id, importer) =>
      importer?.includes('/@graphiql/react/') === true ? substitutes[id] : undefined,
  };
}
