/**
 * Writes every Account page in every language as HTML. A file per language contains all pages by name
 * (`dist/web/account/pages/<locale>.json`), because they compress best together. The server inlines the style sheet,
 * which all pages share, and the messages are preloaded. Placeholders represent data that only the server has, such as the nonce, the
 * brand, the sign-in methods and the settings (`src/pages/account/fill.ts`).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReactElement } from 'react';
import { prerenderToNodeStream } from 'react-dom/static';
import { Router } from 'wouter';
import { activateLocale, addMessages, type Catalog } from '../lib/i18n.ts';
import { directionOf, type Locale } from '../locales/languages.ts';
import { UiProvider } from '../ui/provider.tsx';
import { App, pages, pathOf } from './app.tsx';
import { plainPages } from './plain/pages.tsx';
import { type TextId, t } from './text.ts';

/** `textsPlugin` in `web/build/messages.ts` writes this list. */
const textsList = '.vite/texts.json';
const nonce = '%PLINTH_NONCE%';
const brand = '%PLINTH_NAME%';

const catalogs = import.meta.glob(['../locales/*/*.ts', '!../locales/*/console*.ts']) as Record<
  string,
  () => Promise<{ readonly messages: Catalog }>
>;

/** The languages that have a folder of catalogs. */
const tags = [...new Set(Object.keys(catalogs).map((path) => path.split('/')[2] as Locale))];

/** Returns all messages of a locale. If a translation is missing, the English text is used. */
async function messagesOf(locale: Locale): Promise<Catalog> {
  if (locale === 'pseudo') {
    const { pseudoMessages } = await import('../locales/pseudo.ts');
    return pseudoMessages(await messagesOf('en'));
  }
  const loaded: Catalog[] = [];
  for (const each of new Set(['en', locale]))
    for (const [path, load] of Object.entries(catalogs))
      if (path.startsWith(`../locales/${each}/`)) loaded.push((await load()).messages);
  return Object.assign({}, ...loaded);
}

export async function writePages(dir: string): Promise<void> {
  mkdirSync(join(dir, 'pages'), { recursive: true });
  for (const locale of [...tags, 'pseudo'] as const) {
    const messages = await messagesOf(locale);
    addMessages(locale, messages);
    activateLocale(locale, directionOf(locale === 'pseudo' ? 'en' : locale));
    await writeLocale(dir, locale, messages);
  }
}

/** Writes the pages of one locale. */
async function writeLocale(dir: string, locale: Locale, messages: Catalog): Promise<void> {
  const template = readFileSync(join(dir, 'index.html'), 'utf8');
  const assets = readdirSync(join(dir, 'assets'));
  const sheets = assets.filter((name) => name.endsWith('.css'));
  const css = withoutUnused(sheets.map((name) => readFileSync(join(dir, 'assets', name), 'utf8')).join(''));
  const language = locale === 'pseudo' ? 'en' : locale;
  const files =
    (JSON.parse(readFileSync(join(dir, textsList), 'utf8')) as Record<string, string[]>)[language] ?? [];
  // The color scheme is light unless a script selects a different scheme. Without this attribute, no colors would
  // apply.
  const root = `<html lang="${language}" dir="${directionOf(language)}" data-locale="${locale}" data-texts="${files.join(' ')}" data-off="%PLINTH_OFF%" data-mantine-color-scheme="light">`;
  const head =
    `<style nonce="${nonce}">%PLINTH_SHARED_STYLE%</style><style nonce="${nonce}">%PLINTH_BRAND_CSS%</style>` +
    `<noscript><style nonce="${nonce}">[data-placeholder]{display:none}${darkWithoutScripts(css)}</style></noscript>` +
    '<script type="application/json" id="plinth-config" data-request-id="%PLINTH_REQUEST_ID%" data-app="%PLINTH_APP%" data-address="%PLINTH_EMAIL%">%PLINTH_CONFIG%</script>';
  const preload = `<link rel="modulepreload" nonce="${nonce}" href="/account/assets/${files[0]}">`;
  const out: Record<string, string> = {};

  function write(file: string, titleId: string, markup: string, from = template): void {
    const title = t('page.title', { page: t(titleId as TextId, { name: brand }), name: brand });
    const html = from
      .replace('<html lang="en">', root)
      .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
      .replace(/\s*<link rel="stylesheet"[^>]*>/g, '')
      .replace('</head>', () => `${head}</head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${markup}</div>`);
    out[file] = html;
  }

  const preloading = template.replace('</head>', () => `${preload}</head>`);
  for (const name of Object.keys(pages)) {
    const markup = await markupOf(<App ssrPath={`/account${pathOf(name, '%PLINTH_ORGANIZATION_ID%')}`} />);
    write(`${name}.html`, titleOf(name), markup, preloading);
  }
  for (const [name, page] of plainPages()) {
    const markup = await markupOf(
      <UiProvider>
        <Router base="/account" ssrPath={`/account/${addressOf(name)}`}>
          {page}
        </Router>
      </UiProvider>,
    );
    write(`plain/${name}.html`, titleOf(name), withoutScripts(markup), withoutScripts(template));
  }
  out['texts.json'] = JSON.stringify(serverTexts(messages));
  writeFileSync(join(dir, 'pages', `${locale}.json`), JSON.stringify(out));
  writeFileSync(join(dir, 'shared-style.css'), css.trim());
}

/** The code page asks for the address until a code has been sent. */
function titleOf(name: string): string {
  const page = name.replace(/\..*/, '');
  return page === 'code'
    ? 'page.code-ask'
    : `page.${page
        .replace(/^code-.*/, 'code')
        .replace(/^refused-.*/, 'refused-app')
        .replace(/^(not-me|secured)-.*/, '$1')
        .replace(/(?<!^confirm)-(device|recovery|account)$/, '')}`;
}

/** Returns the address of a plain page, for its links to other languages. Some pages have no separate address. */
function addressOf(name: string): string {
  const page = name.replace(/\..*/, '').replace(/^(code|confirm|mfa|not-me)-.*/, '$1');
  if (page === 'unlocked-before') return 'unlock';
  if (page === 'leave-guest') return 'signed-in';
  if (page === 'leave-guest-account') return 'accounts';
  if (page.startsWith('invitation-')) return 'organizations/join';
  if (page.startsWith('setup')) return 'organizations/setup';
  return page.startsWith('refused') || page === 'failed' ? 'sign-in' : page;
}

/**
 * Removes all scripts from the page, and shows the content of its noscript elements even in browsers that support
 * scripts.
 */
function withoutScripts(html: string): string {
  return html
    .replace(/<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g, '')
    .replace(/<script[^>]*>\s*addEventListener\('submit'[\s\S]*?<\/script>/, '')
    .replace(/<\/?noscript>/g, '');
}

/**
 * Returns the style sheet's dark rules, limited to devices that prefer a dark color scheme. These rules are needed
 * because a page without scripts is always marked as light. As in the style sheet, Mantine's rules are in a separate
 * layer, and the colors aren't in a layer.
 */
function darkWithoutScripts(css: string): string {
  const rules = [...css.matchAll(/([^{}]*\[data-mantine-color-scheme=dark\][^{}]*)\{([^{}]*)\}/g)].map(
    ([, selector = '', body = '']) =>
      `${selector.replaceAll('color-scheme=dark', 'color-scheme=light')}{${body}}`,
  );
  const [colors, others] = [true, false].map((isRoot) =>
    rules.filter((rule) => rule.startsWith(':root') === isRoot).join(''),
  );
  return `@media (prefers-color-scheme:dark){${colors}@layer mantine{${others}}%PLINTH_BRAND_DARK_CSS%}`;
}

/**
 * Matches the definitions of color shades, outline colors, headings and breakpoints. Scripts don't use these variables.
 */
const definitions =
  /(--mantine-(?:color-[a-z]+-\d|primary-color-\d|h[1-6]-[a-z-]+|breakpoint-[a-z]+|color-[a-z]+-outline(?:-hover)?)):[^;}]*;?/g;

/** Removes the definitions of Mantine's variables that no rule uses, because every page contains the style sheet. */
const withoutUnused = (css: string): string =>
  css.replace(definitions, (definition, name: string) =>
    css.includes(`var(${name})`) || css.includes(`var(${name},`) ? definition : '',
  );

/** The highest value that `minimum_password_length` in config.toml can have. */
const maxMinimumLength = 72;

/**
 * Returns the messages that the server itself inserts. These messages are the errors of submitted forms by code, the
 * password requirements, and the text that names the app to which the user will return.
 */
function serverTexts(messages: Catalog): Record<string, string> {
  const ids = Object.keys(messages).filter((id) =>
    /^(ended\.|error\.|field\.|role\.|password\.|mfa\.recovery-)/.test(id),
  );
  const texts = Object.fromEntries(ids.map((id) => [id, t(id as TextId)]));
  texts['sign-in.to'] = t('sign-in.to', { host: '%PLINTH_HOST%' });
  for (let count = 1; count <= maxMinimumLength; count += 1) {
    texts[`password.length.${count}`] = t('password.length', { count });
  }
  return texts;
}

/**
 * Renders the page once its lazily loaded parts are available, because the markup must be complete when it is hydrated.
 */
async function markupOf(page: ReactElement): Promise<string> {
  const { prelude } = await prerenderToNodeStream(page, {
    // Otherwise, React would insert large parts of the page with inline scripts.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
    onError(error) {
      throw error;
    },
  });
  return text(prelude as Readable);
}
