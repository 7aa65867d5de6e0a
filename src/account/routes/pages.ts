/** `/account/*` for people: the prerendered pages, their assets and the logo. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebFace } from '../../kernel/web-face.ts';
import { readCookie } from '../core/cookies.ts';
import { carryFlow, escapeHtml } from '../core/html.ts';
import { type ConfirmDeps, confirmRoutes } from './confirm.ts';

/** Every page there is; the build prerenders exactly these (a test compares). */
export const pageNames = [
  'sign-in',
  'sign-up',
  'code',
  'mfa',
  'new-password',
  'security',
  'consent',
  'confirm',
  'confirm-other',
  'continue',
  'link-expired',
  'signed-out',
  'error',
] as const;
export type PageName = (typeof pageNames)[number];

/** Without a cookie these lead to sign-in; whether the cookie is worth anything, the page finds out. */
const forMembers: ReadonlySet<string> = new Set<PageName>(['mfa', 'new-password', 'security', 'consent']);

export interface PageDeps {
  readonly face: WebFace;
  /** A page with everything filled in but the nonce; undefined when it is not built. */
  readonly filled: (page: PageName) => Promise<string | undefined>;
  readonly imageSources: readonly string[];
  readonly logo: { readonly svg: string } | { readonly address: string };
  readonly confirm: Omit<ConfirmDeps, 'send'>;
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

export async function pageRoutes(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { face, filled, imageSources, logo } = deps;

  const send: ConfirmDeps['send'] = async (request, reply, page, fill) => {
    const { fields = '', target = '/account/security', status = 200, isStill = false } = fill;
    const html = await filled(page);
    if (html === undefined) {
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send('The web app has not been built. Run: npm run build\n');
    }
    const withLink = html
      .replace('%PLINTH_FIELDS%', () => fields)
      .replace('%PLINTH_TARGET%', () => escapeHtml(target))
      .replace(isStill ? /<script type="module"[^>]*><\/script>/g : '', '');
    const withFlow = carryFlow(withLink, queryOf(request));
    // Logos of apps, from wherever the operator who registered them has them.
    const images = page === 'consent' ? [...imageSources, 'https:'] : imageSources;
    return face.sendPage(request, reply, { html: withFlow, status, imageSources: images });
  };

  confirmRoutes(app, { ...deps.confirm, send });

  app.get('/', (_request, reply) => reply.redirect('/account/security', 302));
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
    face.sendAsset(request, reply, request.params.name),
  );
  app.get('/logo', (_request, reply) => {
    if ('address' in logo) return reply.redirect(logo.address, 302);
    return reply
      .headers({
        'cache-control': 'public, max-age=3600',
        'x-content-type-options': 'nosniff',
        // An SVG opened by itself is a document, and could run scripts.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      })
      .type('image/svg+xml')
      .send(logo.svg);
  });

  for (const page of pageNames) {
    if (page === 'confirm') continue;
    app.get(`/${page}`, (request, reply) => {
      if (forMembers.has(page) && readCookie(request.headers.cookie) === undefined) {
        const next = queryOf(request);
        if (page !== 'mfa') next.set('next', page);
        const search = next.toString();
        return reply.redirect(`/account/sign-in${search === '' ? '' : `?${search}`}`, 303);
      }
      return send(request, reply, page, {});
    });
  }

  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply.code(404).send({ code: 'not_found', message: 'There is no such address.' });
    }
    return send(request, reply, 'error', { status: 404 });
  });
}
