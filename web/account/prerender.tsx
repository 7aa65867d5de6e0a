/**
 * Writes every Account page as HTML (`dist/web/account/pages/*.html`) with its style sheet inlined. What only the
 * server knows stands in it as placeholders: nonce, brand, offers, settings (`src/account/fill.ts`).
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { prerenderToNodeStream } from 'react-dom/static';
import { App, pages } from './app.tsx';
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
  mkdirSync(join(dir, 'pages'), { recursive: true });
  for (const name of Object.keys(pages)) {
    const markup = await markupOf(`/account/${name}`);
    const title = t('page.title', { page: t(`page.${name}` as TextId), name: '%PLINTH_NAME%' });
    const html = template
      .replace('<html lang="en">', '<html lang="en" data-off="%PLINTH_OFF%">')
      .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
      .replace(/\s*<link rel="stylesheet"[^>]*>/g, '')
      .replace('</head>', () => `${head}</head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${markup}</div>`);
    writeFileSync(join(dir, 'pages', `${name}.html`), html);
  }
}

/** Waits for the pages that are loaded late, so that hydration meets them whole. */
async function markupOf(ssrPath: string): Promise<string> {
  const { prelude } = await prerenderToNodeStream(<App ssrPath={ssrPath} />, {
    // Larger parts would otherwise be moved in by inline scripts.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
    onError(error) {
      throw error;
    },
  });
  return text(prelude as Readable);
}
