/** Adapts the pages, which are written for GitHub, to the site. */
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** @param repository the URL of the public repository. If undefined, links to files outside docs/ become text. */
export function adaptMarkdown(markdown: MarkdownRenderer, repository: string | undefined): void {
  linkOutside(markdown, repository?.replace(/^git\+|\.git$/g, ''));
  const { rules } = markdown.renderer;
  // Vue would evaluate {{ }} in text and code.
  for (const name of ['text', 'code_inline'] as const) {
    const render = rules[name];
    rules[name] = (...args) => (render?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
  }
  const html = rules.html_block;
  rules.html_block = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token !== undefined) token.content = pictureForSite(token.content);
    return html?.(tokens, index, options, env, self) ?? '';
  };
}

/**
 * Replaces a `<picture>` for two color schemes with two images, because readers can choose another scheme on the site than
 * in their system.
 */
const pictureForSite = (markup: string): string =>
  markup.replaceAll(
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g,
    (_match, dark: string, alt: string, light: string) =>
      `<img class="only-light" alt="${alt}" src="./${light}"><img class="only-dark" alt="${alt}" src="./${dark}">`,
  );

/** Files outside docs/ aren't part of the site. */
function linkOutside(markdown: MarkdownRenderer, repository: string | undefined): void {
  markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
    const folder = posix.dirname(`docs/${(env as { relativePath?: string }).relativePath ?? ''}`);
    for (const { children } of tokens) {
      let isRemoved = false;
      for (const token of children ?? []) {
        if (token.type === 'link_close' && isRemoved) {
          Object.assign(token, { type: 'text', tag: '', content: '', nesting: 0 });
          isRemoved = false;
        }
        if (token.type !== 'link_open') continue;
        const href = String(token.attrGet('href'));
        const target = posix.join(folder, href);
        if (/^(?:[a-z]+:|#|\/)/.test(href) || target.startsWith('docs/')) continue;
        if (repository !== undefined) token.attrSet('href', `${repository}/blob/main/${target}`);
        else {
          Object.assign(token, { type: 'text', tag: '', content: '', nesting: 0 });
          isRemoved = true;
        }
      }
    }
  });
}
