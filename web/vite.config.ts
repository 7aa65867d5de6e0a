/**
 * The build configuration of the web app. The Account pages and the Console are built separately, so the Account pages
 * never load parts of the Console. `scripts/build-web.mjs` runs both builds, and
 * `vite build --config web/vite.config.ts --mode console` runs only the Console's build.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown, type UserConfig } from 'vite';
import { bootFramePlugin } from './build/boot-frame.ts';
import { compileHintPlugin } from './build/compile-hint.ts';
import { earlyScriptPlugin } from './build/early-script.ts';
import { graphiqlPartsPlugin } from './build/graphiql-parts.ts';
import { graphiqlStylesPlugin } from './build/graphiql-styles.ts';
import { messagesPlugin, textsPlugin } from './build/messages.ts';
import { schemeScriptPlugin } from './build/scheme-script.ts';
import { themeCssPlugin } from './build/theme-css.ts';
import { withoutFloatingUiPlugin } from './build/without-floating-ui.ts';
import { withoutRuntimeStylesPlugin } from './build/without-runtime-styles.ts';

export type Face = 'account' | 'console';

/**
 * The server replaces this text with a new nonce in every HTML response. The content security policy contains the same
 * nonce.
 */
const noncePlaceholder = '%PLINTH_NONCE%';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

export function faceConfig(face: Face): UserConfig {
  return {
    root: path(`./${face}`),
    base: `/${face}/`,
    publicDir: false,
    logLevel: 'warn',
    html: { cspNonce: noncePlaceholder },
    plugins: [
      react(),
      themeCssPlugin(),
      withoutFloatingUiPlugin(),
      withoutRuntimeStylesPlugin(),
      messagesPlugin(),
      schemeScriptPlugin(noncePlaceholder),
      ...(face === 'console'
        ? [
            bootFramePlugin(noncePlaceholder),
            earlyScriptPlugin(noncePlaceholder),
            compileHintPlugin(firstChunks),
            graphiqlPartsPlugin(),
            graphiqlStylesPlugin(),
          ]
        : [textsPlugin()]),
    ],
    // Since version 18, React itself has provided this function, so the polyfill that wouter and other packages use is
    // omitted.
    resolve: { alias: [{ find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' }] },
    build: {
      outDir: path(`../dist/web/${face}`),
      emptyOutDir: true,
      manifest: true,
      target: 'es2023',
      // Assets aren't inlined, because the content security policy doesn't allow `data:` URIs.
      assetsInlineLimit: 0,
      // The Account pages inline their single style sheet into the prerendered HTML.
      cssCodeSplit: face === 'console',
      // On the Account pages, the files that a lazily loaded chunk needs have already been loaded with the page.
      modulePreload: {
        polyfill: false,
        ...(face === 'account' && {
          resolveDependencies: (_name, needed, { hostType }) => (hostType === 'html' ? needed : []),
        }),
      },
      reportCompressedSize: false,
      rolldownOptions: {
        output: { ...(face === 'console' && { codeSplitting: { groups: consoleGroups } }) },
      },
    },
  };
}

/**
 * If at least this many lazily loaded parts of the Console use a module, the module is loaded with every page, because
 * a separate request would cost more. A lower number would add the form that reviews schema changes, which two thirds of
 * the pages don't use.
 */
const pagesInCommon = 24;

/** The chunks that the first view of a table needs. The functions in these chunks are compiled early. */
const firstChunks = ['vendor', 'index', 'common', 'table', 'tables-page', 'table-page'];

/** The modules of dialogs and side panels, and the packages that they need. */
const dialogModules =
  /\/node_modules\/(react-remove-scroll|react-style-singleton|use-callback-ref|use-sidecar|get-nonce|tslib|@mantine\/core\/esm\/components\/(Modal|Drawer|ScrollArea))|\/console\/components\/(dialog|side-panel|form-dialog|confirm|unsaved|modal-layer)\./;

/** GraphiQL's editor, which consists of many lazily loaded parts, although only one page uses it. */
const graphiqlModules = /\/node_modules\/codemirror\//;

/** The modules of menus and other popovers. */
const popoverModules = /\/node_modules\/(@floating-ui|@mantine\/core\/esm\/components\/(Popover|Floating))/;

/**
 * A browser requests up to six files from a server at a time, and each request costs a round trip. The code that every
 * Console page needs is therefore in two files. `vendor` changes only when packages change, and `shell` contains
 * Plinth's own code. Other files contain the code that most pages need, the dialogs, the popovers, the icons that
 * several pages share, and the code that the panels of the table page share. Dialogs and popovers are separate because
 * the first view of a table doesn't need them.
 */
const consoleGroups = [
  { name: 'vendor', tags: ['$initial'], test: /\/node_modules\/(?!@tabler\/)/ },
  { name: 'shell', tags: ['$initial'], test: /^(?!.*\/console\/main\.tsx$)/ },
  {
    name: 'common',
    test: (id) => ![dialogModules, popoverModules, graphiqlModules].some((modules) => modules.test(id)),
    minShareCount: pagesInCommon,
  },
  { name: 'popovers', test: popoverModules, minShareCount: 2 },
  { name: 'dialogs', test: dialogModules, minShareCount: 2 },
  { name: 'icons', test: /\/@tabler\/icons-react\//, minShareCount: 2 },
  { name: tableChunk, debugName: 'table', minShareCount: 2 },
] satisfies Rolldown.CodeSplittingGroup[];

const ofTables = /\/web\/(console\/features\/tables\/|locales\/en\/console-tables)/;

/**
 * Returns the chunk for the modules of the tables feature that the first view of a table needs. Without this chunk,
 * most of these modules would be separate small files.
 */
function tableChunk(id: string, graph: Rolldown.ChunkingContext): string | null {
  if (!ofTables.test(id)) return null;
  const reached = new Set<string>();
  const visit = (each: string): void => {
    if (reached.has(each) || !ofTables.test(each)) return;
    reached.add(each);
    graph.getModuleInfo(each)?.importedIds.forEach(visit);
  };
  visit(path('./console/features/tables/rows/table-page.tsx'));
  return reached.has(id) ? 'table' : null;
}

/** The configuration for building a Node module that writes the Account pages as HTML (`account/prerender.tsx`). */
export function prerenderConfig(): UserConfig {
  return {
    root: path('./account'),
    base: '/account/',
    publicDir: false,
    logLevel: 'warn',
    plugins: [react(), themeCssPlugin(), messagesPlugin()],
    build: {
      ssr: path('./account/prerender.tsx'),
      // The folder is inside this checkout, because several checkouts may share their packages.
      outDir: path('../dist/.prerender'),
      emptyOutDir: true,
      target: 'node20',
    },
  };
}

export default defineConfig(({ mode }) => faceConfig(mode === 'console' ? 'console' : 'account'));
