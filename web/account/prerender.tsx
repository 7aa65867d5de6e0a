/**
 * Writes every Account page as HTML (`dist/web/account/pages/*.html`) with its style sheet inlined. What only the
 * server knows stands in it as placeholders: nonce, brand, offers, settings (`src/account/fill.ts`).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReactElement } from 'react';
import { prerenderToNodeStream } from 'react-dom/static';
import { Router } from 'wouter';
import { addMessages } from '../lib/i18n.ts';
import { messages as account } from '../locales/en/account.ts';
import { messages as errors } from '../locales/en/errors.ts';
import { messages as plain } from '../locales/en/plain.ts';
import { UiProvider } from '../ui/provider.tsx';
import { App, pages } from './app.tsx';
import { plainPages } from './plain/pages.tsx';
import { type TextId, t } from './text.ts';
import { activateEnglish } from './texts.ts';

const nonce = '%PLINTH_NONCE%';

export async function writePages(dir: string): Promise<void> {
  activateEnglish();
  const template = readFileSync(join(dir, 'index.html'), 'utf8');
  const sheets = readdirSync(join(dir, 'assets')).filter((name) => name.endsWith('.css'));
  const css = sheets.map((name) => readFileSync(join(dir, 'assets', name), 'utf8')).join('');
  const head =
    `<style nonce="${nonce}">${css.trim()}</style><style nonce="${nonce}">%PLINTH_BRAND_CSS%</style>` +
    '<script type="application/json" id="plinth-config">%PLINTH_CONFIG%</script>';
  function write(file: string, titleId: string, markup: string, from = template): void {
    const title = t('page.title', { page: t(titleId as TextId), name: '%PLINTH_NAME%' });
    const html = from
      .replace('<html lang="en">', '<html lang="en" data-off="%PLINTH_OFF%">')
      .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
      .replace(/\s*<link rel="stylesheet"[^>]*>/g, '')
      .replace('</head>', () => `${head}</head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${markup}</div>`);
    writeFileSync(join(dir, file), html);
  }

  mkdirSync(join(dir, 'pages'), { recursive: true });
  for (const name of Object.keys(pages)) {
    const markup = await markupOf(<App ssrPath={`/account/${name}`} />);
    write(`pages/${name}.html`, `page.${name}`, markup);
  }

  mkdirSync(join(dir, 'plain'), { recursive: true });
  addMessages('en', plain);
  for (const [name, page] of plainPages()) {
    const markup = await markupOf(
      <UiProvider>
        <Router base="/account" ssrPath="/account/plain">
          {page}
        </Router>
      </UiProvider>,
    );
    const titleId = `page.${name.replace(/\..*/, '').replace(/^code-.*/, 'code')}`;
    write(`plain/${name}.html`, titleId, withoutScripts(markup), withoutScripts(template));
  }
  writeFileSync(join(dir, 'plain', 'texts.json'), JSON.stringify(problemTexts()));
}

/** No script runs in the page, even where scripts could: what is meant for such browsers stands open. */
function withoutScripts(html: string): string {
  return html
    .replace(/<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g, '')
    .replace(/<script[^>]*>\s*addEventListener\('submit'[\s\S]*?<\/script>/, '')
    .replace(/<\/?noscript>/g, '');
}

/** What can be wrong with a posted form, in words: the server looks them up by code. */
function problemTexts(): Record<string, string> {
  addMessages('en', errors);
  const fields = Object.keys({ ...account, ...plain }).filter((id) => id.startsWith('field.'));
  return Object.fromEntries([...Object.keys(errors), ...fields].map((id) => [id, t(id as TextId)]));
}

/** Waits for the pages that are loaded late, so that hydration meets them whole. */
async function markupOf(page: ReactElement): Promise<string> {
  const { prelude } = await prerenderToNodeStream(page, {
    // Larger parts would otherwise be moved in by inline scripts.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
    onError(error) {
      throw error;
    },
  });
  return text(prelude as Readable);
}
