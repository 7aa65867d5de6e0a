/**
 * Replaces `useMergeRefs`, which is the only function of `@floating-ui/react` that Mantine's dialogs use. Without this
 * plugin, each page with a dialog would load the code that positions popovers.
 */
import type { Plugin } from 'vite';

const virtualId = '\0plinth-merge-refs';

export function withoutFloatingUiPlugin(): Plugin {
  return {
    name: 'plinth-without-floating-ui',
    enforce: 'pre',
    resolveId: (id, importer) =>
      id === '@floating-ui/react' && importer?.includes('/components/ScrollArea/') === true
        ? virtualId
        : undefined,
    load: (id) =>
      id === virtualId
        ? `import { useMergedRef } from '@mantine/hooks';
export const useMergeRefs = (refs) => useMergedRef(...refs);`
        : undefined,
  };
}
