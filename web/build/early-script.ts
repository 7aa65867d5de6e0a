/**
 * Inserts `console/early.ts` into the head of the Console's HTML, with the file names that the build has assigned to
 * each page.
 */
import type { Plugin, Rolldown } from 'vite';
import { type EarlyPage, earlyMs, startEarly } from '../console/early.ts';
import { pageModules } from '../console/pages.ts';

type Chunk = Rolldown.OutputChunk;

export function earlyScriptPlugin(noncePlaceholder: string): Plugin {
  return {
    name: 'plinth-early-script',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        if (bundle === undefined) return [];
        const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
        const pages = JSON.stringify(pagesOf(chunks));
        return [
          {
            tag: 'script',
            attrs: { nonce: noncePlaceholder },
            children: `(${startEarly.toString()})(${pages},${earlyMs})`,
            injectTo: 'head-prepend',
          },
        ];
      },
    },
  };
}

function pagesOf(chunks: readonly Chunk[]): EarlyPage[] {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const reached = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const each of byFile.get(file)?.imports ?? []) reached(each, seen);
    return seen;
  };
  const entry = chunks.find(({ isEntry }) => isEntry);
  const first = entry === undefined ? new Set<string>() : reached(entry.fileName);
  return pageModules().map(([pattern, modules]) => {
    const files = modules.flatMap((module) => {
      const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/web/console/${module}`));
      if (chunk === undefined) throw new Error(`console/pages.ts: ${module} has no separate chunk`);
      const own = [...reached(chunk.fileName)].filter((file) => !first.has(file));
      return [...own.flatMap((file) => [...(byFile.get(file)?.viteMetadata?.importedCss ?? [])]), ...own];
    });
    return [pattern, [...new Set(files)].map((file) => file.replace(/^assets\//, ''))];
  });
}
