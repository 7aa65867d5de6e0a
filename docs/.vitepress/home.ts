/** The content of the site's first page, from docs/index.md. */
import { topicsOf } from '../../src/base/shared/documents/pages.ts';

/** Returns the page's frontmatter. */
export function homePage(index: string): Record<string, unknown> {
  const tagline = (/^((?:> .*\n)+)/m.exec(index)?.[1] ?? '')
    .replaceAll(/^> |\n(?=> )/gm, ' ')
    .replaceAll(/\s+/g, ' ');
  return {
    layout: 'home',
    hero: {
      name: 'Plinth',
      text: 'A whole backend with one command',
      tagline: tagline.trim(),
      actions: [
        { theme: 'brand', text: 'Get started', link: '/start' },
        { theme: 'alt', text: 'Deploy', link: '/deploy' },
      ],
    },
    features: topicsOf(index)
      .slice(0, 1)
      .flatMap(({ pages }) =>
        pages.map(({ name, title, about }) => ({ title, details: about, link: `/${name}` })),
      ),
  };
}
