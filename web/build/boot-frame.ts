/**
 * Adds the Console's frame and menu to the HTML. The browser paints the frame before any style sheet or script has
 * loaded. The frame is visible while `#root` is empty. The frame's texts are CSS content, because screen readers and
 * searches must not treat them as part of the page.
 */
import { readFileSync } from 'node:fs';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Plugin } from 'vite';
import { menu } from '../console/layout/menu.ts';
import { menuGroups } from '../console/pages.ts';
import { messages } from '../locales/en/console.ts';
import { type Roles, roles, type Scheme } from '../ui/tokens.ts';

const styleLink = /\s*<link\b[^>]*\brel="stylesheet"[^>]*>/g;

/** The color roles that the frame uses. */
const used = ['page', 'surface', 'line', 'edge', 'text', 'dimmed', 'link'] as const satisfies (keyof Roles)[];

export function bootFramePlugin(noncePlaceholder: string): Plugin {
  return {
    name: 'plinth-boot-frame',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (bundle === undefined) return html;
        // A style sheet in the head would delay the frame.
        const sheets = html.match(styleLink) ?? [];
        const nonce = `nonce="${noncePlaceholder}"`;
        return html
          .replace(styleLink, '')
          .replace('</head>', `<style ${nonce}>${frameCss()}</style></head>`)
          .replace(
            '<div id="root"></div>',
            [
              '<div id="root"></div>',
              frameHtml(),
              `<script ${nonce}>(${markCurrent.toString()})()</script>`,
              ...sheets,
            ].join('\n'),
          );
      },
    },
  };
}

/**
 * Marks the menu entry of the current page, or removes the frame if the sign-in page will be shown. The build inlines
 * this function, so it must not use anything outside it.
 */
function markCurrent(): void {
  const path = location.pathname.replace(/^\/console/, '').replace(/^\/?([^/]*).*/, '/$1');
  const frame = document.getElementById('boot-frame');
  const isSignedOut =
    document.querySelector<HTMLMetaElement>('meta[name="plinth-session"]')?.content === 'none';
  if (isSignedOut || path === '/sign-in' || location.hash !== '') frame?.remove();
  else frame?.querySelector(`[data-to="${CSS.escape(path)}"]`)?.setAttribute('data-current', '');
}

function frameHtml(): string {
  const file = readFileSync(new URL('../console/logo.svg', import.meta.url), 'utf8');
  const logo = file.replace(/<title>.*<\/title>/, '').trim();
  const entries = (group: string | undefined): string =>
    menu
      .filter((entry) => entry.group === group)
      .map(({ to, label, Icon }) => {
        const icon = renderToStaticMarkup(createElement(Icon, { size: 18, stroke: 1.75 }));
        return `<i data-to="${to}" data-text="${messages[label]}">${icon}</i>`;
      })
      .join('');
  const groups = menuGroups.map(
    (name) => `<b data-text="${messages[`nav.group-${name}`]}"></b>${entries(name)}`,
  );
  return `<div id="boot-frame" aria-hidden="true"><div>${logo}<u></u>${entries(undefined)}${groups.join('')}</div><p></p></div>`;
}

const variables = (scheme: Scheme): string =>
  used.map((role) => `--b-${role}:${roles[scheme][role]}`).join(';');

/**
 * Returns the frame's CSS. The dimensions are the same as in `layout/shell.module.css`. The frame doesn't use the web
 * font, because the browser would otherwise download the font before the scripts.
 */
const frameCss = (): string => `:root{${variables('light')}}
:root[data-mantine-color-scheme=dark]{${variables('dark')};color-scheme:dark}
html{background:var(--b-page)}
#boot-frame{display:none}
#root:empty+#boot-frame{position:fixed;inset:0;display:grid;grid-template-columns:14rem minmax(0,1fr);font:.875rem/1.55 'Geist Fallback',system-ui,sans-serif;color:var(--b-dimmed)}
#boot-frame div{padding:.75rem .5rem .5rem .75rem;overflow:hidden}
#boot-frame div>svg{display:block;width:22px;height:22px;margin:.25rem .375rem .5rem}
#boot-frame u{display:block;height:2.1875rem;margin:.625rem 0 .75rem;border:1px solid var(--b-edge);border-radius:.5rem;background:var(--b-surface)}
#boot-frame b{display:block;padding:.5rem .5rem .125rem;font-size:.75rem;font-weight:550}
#boot-frame i{display:flex;align-items:center;gap:.625rem;margin-bottom:.0625rem;padding:.125rem .5rem;border-radius:.5rem;font-style:normal}
#boot-frame :is(b,i)::after{content:attr(data-text)}
#boot-frame i[data-current]{background:var(--b-surface);box-shadow:0 0 0 1px var(--b-line);color:var(--b-text);font-weight:550}
#boot-frame i[data-current] svg{color:var(--b-link)}
#boot-frame p{margin:.5rem .5rem .5rem 0;border:1px solid var(--b-line);border-radius:.75rem;background:linear-gradient(var(--b-line),var(--b-line)) 0 3.25rem/100% 1px no-repeat var(--b-surface)}
@media (max-width:48rem){#root:empty+#boot-frame{grid-template-columns:minmax(0,1fr);grid-template-rows:2.625rem minmax(0,1fr)}#boot-frame div{padding:.5rem;justify-self:center}#boot-frame :is(b,i,u){display:none}#boot-frame p{margin:0;border-width:1px 0 0;border-radius:0}}`;
