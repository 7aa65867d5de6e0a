/** Writes the documentation as HTML files, and opens a page in the user's browser. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MarkdownIt from 'markdown-it';
import { type DocumentPage, documentsFolder, type Topic } from '../../../base/shared/documents/pages.ts';
import { headingsOf } from '../../../base/shared/documents/sections.ts';
import { escapeMarkup } from '../../../base/shared/printable.ts';

export interface Documentation {
  readonly pages: readonly DocumentPage[];
  readonly topics: readonly Topic[];
}

/** Writes all pages to the folder, and returns the URL of one page. */
export function writeWebPages({ pages, topics }: Documentation, folder: string, name: string): URL {
  mkdirSync(folder, { recursive: true });
  const names = new Set(pages.map((page) => page.name));
  for (const page of pages) writeFileSync(join(folder, `${page.name}.html`), webPage(page, topics, names));
  return pathToFileURL(join(folder, `${name}.html`));
}

/** Opens a URL with the program of the operating system. Returns whether the program could be started. */
export function openInBrowser(url: string): Promise<boolean> {
  const [command, args] = openers[process.platform] ?? (['xdg-open', []] as const);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>> = {
  darwin: ['open', []],
  // `start` is a command of the shell, whereas this program takes the URL as a plain argument.
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
};

function webPage({ name, text }: DocumentPage, topics: readonly Topic[], names: ReadonlySet<string>): string {
  const title = headingsOf(text)[0]?.title ?? name;
  const links = topics.map(
    (topic) =>
      `<h2>${escapeMarkup(topic.title)}</h2><ul>${topic.pages
        .map(
          (page) =>
            `<li><a href="${page.name}.html"${page.name === name ? ' aria-current="page"' : ''}>${escapeMarkup(page.title)}</a></li>`,
        )
        .join('')}</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(title.replaceAll('`', ''))} | Plinth</title>
<style>${style}</style>
<nav aria-label="Pages">${links.join('')}</nav>
<main>${bodyOf(text, names)}</main>
</html>
`;
}

/** The documentation is part of Plinth, so its pages can contain HTML. */
function bodyOf(text: string, names: ReadonlySet<string>): string {
  const markdown = new MarkdownIt({ html: true });
  const anchors = headingsOf(text).map(({ anchor }) => anchor);
  const { rules } = markdown.renderer;
  rules.heading_open = (...[tokens, index, options, , self]) => {
    tokens[index]?.attrSet('id', anchors.shift() ?? '');
    return self.renderToken(tokens, index, options);
  };
  rules.link_open = (...[tokens, index, options, , self]) => {
    const token = tokens[index];
    token?.attrSet('href', webTarget(String(token.attrGet('href')), names));
    return self.renderToken(tokens, index, options);
  };
  const html = markdown.render(text.replaceAll(/<!--[\s\S]*?-->/g, ''));
  return html.replaceAll(/<picture>[\s\S]*?<\/picture>|<img\b[^>]*>/g, localPicture);
}

/** Links to files outside the documentation refer to the installed package. */
function webTarget(href: string, names: ReadonlySet<string>): string {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return names.has(name) ? `${name}.html${anchor}` : new URL(href, pathToFileURL(documentsFolder)).href;
}

/** Pictures that aren't installed are left out. */
function localPicture(markup: string): string {
  const sources = [...markup.matchAll(/\b(src|srcset)="([^":]+)"/g)];
  if (sources.some(([, , path = '']) => !existsSync(join(documentsFolder, path)))) return '';
  return markup.replaceAll(
    /\b(src|srcset)="([^":]+)"/g,
    (_match, attribute: string, path: string) =>
      `${attribute}="${new URL(path, pathToFileURL(documentsFolder)).href}"`,
  );
}

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); font: 16px/1.6 system-ui, sans-serif; }
nav { padding: 1.5rem; border-right: 1px solid var(--line); font-size: 0.875rem; }
nav h2 { margin: 1.25rem 0 0.25rem; font-size: 0.875rem; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 0.125rem 0; color: inherit; text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 600; }
main { max-width: 50rem; padding: 1rem 2rem 4rem; overflow-wrap: anywhere; }
a { color: light-dark(#2b42c0, #9aa8f0); }
pre { padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; overflow: auto; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.875rem; }
table { display: block; overflow: auto; border-collapse: collapse; }
th, td { padding: 0.375rem 0.75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
img { max-width: 100%; }
@media (max-width: 50rem) {
  body { grid-template-columns: minmax(0, 1fr); }
  nav { order: 1; border-right: 0; border-top: 1px solid var(--line); }
  main { padding: 0 1rem 2rem; }
}
`;
