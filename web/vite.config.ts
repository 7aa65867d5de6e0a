/**
 * How the web app is built. Each face is a separate build, so that nothing of the Console can end up in a chunk that
 * the Account pages load. `scripts/build-web.mjs` runs both; `vite build --config web/vite.config.ts --mode console`
 * runs one.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown, type UserConfig } from 'vite';
import { earlyScriptPlugin } from './build/early-script.ts';
import { messagesPlugin } from './build/messages.ts';
import { schemeScriptPlugin } from './build/scheme-script.ts';
import { themeCssPlugin } from './build/theme-css.ts';
import { withoutRuntimeStylesPlugin } from './build/without-runtime-styles.ts';

export type Face = 'account' | 'console';

/** Replaced in every HTML answer by a fresh nonce; the content security policy names the same one. */
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
      withoutRuntimeStylesPlugin(),
      messagesPlugin(),
      schemeScriptPlugin(noncePlaceholder),
      ...(face === 'console' ? [earlyScriptPlugin(noncePlaceholder)] : []),
    ],
    // React has had it since 18; what wouter and others bring for older ones stays out.
    resolve: { alias: [{ find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' }] },
    build: {
      outDir: path(`../dist/web/${face}`),
      emptyOutDir: true,
      manifest: true,
      target: 'es2023',
      // A data: URI would need a wider content security policy.
      assetsInlineLimit: 0,
      // Account inlines its one sheet into the prerendered pages.
      cssCodeSplit: face === 'console',
      // What a late chunk of Account needs beside itself has come with the page.
      modulePreload: {
        polyfill: false,
        ...(face === 'account' && {
          resolveDependencies: (_name, needed, { hostType }) => (hostType === 'html' ? needed : []),
        }),
      },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [{ name: textsChunk, debugName: 'texts' }, ...(face === 'console' ? consoleGroups : [])],
          },
        },
      },
    },
  };
}

/** From so many of the Console's lazy parts on, a separate round trip costs more than bringing it to the others too. */
const pagesInCommon = 16;

/**
 * A browser asks one server for six files at a time, and each costs a round trip. What every page of the Console begins with
 * is two files: `vendor` changes with the packages, `shell` with us. What most pages have beside that is one more, and so
 * are the icons that several share.
 */
const consoleGroups = [
  { name: 'vendor', tags: ['$initial'], test: /\/node_modules\/(?!@tabler\/)/ },
  { name: 'shell', tags: ['$initial'], test: /^(?!.*\/console\/main\.tsx$)/ },
  { name: 'common', minShareCount: pagesInCommon },
  { name: 'icons', test: /\/@tabler\/icons-react\//, minShareCount: 2 },
] satisfies Rolldown.CodeSplittingGroup[];

/**
 * A chunk of texts for each language: `texts-ar` holds what every Account page needs, `texts-errors-ar` what
 * `problems.ts` needs, `texts-rest-ar` the others.
 * `account/prerender.tsx` preloads the first by this name.
 */
function textsChunk(id: string): string | null {
  const [, language, name] = /\/web\/locales\/([a-z]+)\/([a-z-]+)\.ts$/.exec(id) ?? [];
  // The Console's stay with the pages that show them.
  if (language === undefined || name?.startsWith('console')) return null;
  if (name === 'errors') return `texts-errors-${language}`;
  return name === 'account' || name === 'shared' ? `texts-${language}` : `texts-rest-${language}`;
}

/** The Account pages as a module for Node, which writes them as HTML (`account/prerender.tsx`). */
export function prerenderConfig(): UserConfig {
  return {
    root: path('./account'),
    base: '/account/',
    publicDir: false,
    logLevel: 'warn',
    plugins: [react(), themeCssPlugin(), messagesPlugin()],
    build: {
      ssr: path('./account/prerender.tsx'),
      // Of this folder alone: several checkouts may share their packages.
      outDir: path('../dist/.prerender'),
      emptyOutDir: true,
      target: 'node20',
    },
  };
}

export default defineConfig(({ mode }) => faceConfig(mode === 'console' ? 'console' : 'account'));
