/**
 * The documentation site: `npm run docs` serves it while you write, and `npm run docs:build` writes it to dist/docs. The
 * sidebar is derived from docs/index.md, which is also the list of `plinth docs` and of llms.txt.
 */
import { cpSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { topicsOf } from '../../src/base/shared/documents/pages.ts';
import { slugOf } from '../../src/base/shared/documents/sections.ts';
import { homePage } from './home.ts';
import { adaptMarkdown } from './markdown.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const docs = join(root, 'docs');
const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  repository?: { url: string };
};
const index = readFileSync(join(docs, 'index.md'), 'utf8');
const topics = topicsOf(index);
const logo = readFileSync(join(root, 'web', 'console', 'logo.svg'));

export default defineConfig({
  title: 'Plinth',
  description: 'A whole backend in one process: PostgreSQL, sign-in, REST, realtime, storage and functions.',
  lang: 'en-US',
  cleanUrls: true,
  // Addresses of the reader's own app.
  ignoreDeadLinks: 'localhostLinks',
  outDir: join(root, 'dist', 'docs'),
  cacheDir: join(root, 'node_modules', '.cache', 'vitepress'),
  head: [['link', { rel: 'icon', href: `data:image/svg+xml;base64,${logo.toString('base64')}` }]],
  markdown: {
    // Links to headings also work on GitHub and in `plinth docs`.
    anchor: { slugify: slugOf },
    // On GitHub, braces and colons are text.
    attrs: false,
    emoji: false,
    config: (markdown) => adaptMarkdown(markdown, repository?.url),
  },
  themeConfig: {
    nav: [
      ...topics.map(({ title, pages }) => ({ text: title, link: `/${pages[0]?.name}` })),
      { text: version, items: [{ text: 'Design decisions', link: '/decisions/README' }] },
    ],
    sidebar: topics.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: `/${page.name}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  transformPageData(page) {
    if (page.relativePath === 'index.md') Object.assign(page.frontmatter, homePage(index));
  },
  // Language models read the same pages as Markdown.
  buildEnd({ outDir }) {
    cpSync(join(docs, 'index.md'), join(outDir, 'llms.txt'));
    for (const name of globSync('*.md', { cwd: docs })) cpSync(join(docs, name), join(outDir, name));
  },
});
