/**
 * Provides the headings of Plinth's documentation, which the build includes. Each file is loaded when the palette is
 * opened.
 */
import { queryOptions } from '@tanstack/react-query';
import { sectionsOf } from './doc-sections.ts';

const files = import.meta.glob<string>(
  ['../../../../docs/*.md', '!../../../../docs/npm-readme.md', '!../../../../docs/specification.md'],
  { query: '?raw', import: 'default' },
);

export const docsQuery = queryOptions({
  queryKey: ['docs'],
  queryFn: async () => {
    const loaded = await Promise.all(
      Object.entries(files).map(async ([path, load]) =>
        sectionsOf(path.split('/').at(-1) ?? path, await load()),
      ),
    );
    return loaded.flat();
  },
  staleTime: Number.POSITIVE_INFINITY,
});
