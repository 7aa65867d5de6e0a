/** `/account/*` for browsers: the prerendered pages, their assets and the logo. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebFace } from '../../kernel/web-face.ts';
import { sessionCookie } from '../core/cookies.ts';
import { carriedFlow, carryFlow, escapeText, fillValues } from '../core/html.ts';
import { chooseLanguage, languageCookie } from '../core/languages.ts';
import type { Logo } from '../logo.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import { type ConfirmDeps, confirmRoutes } from './confirm.ts';
import { type FormDeps, formPages, formRoutes } from './forms.ts';
import { type JourneyDeps, journeyPages } from './journeys.ts';
import { markedForm } from './mark.ts';
import { type AnyPage, type PageName, pageNames, type Send } from './page-names.ts';

/** Without a cookie, these pages redirect to sign-in. The page itself determines whether the cookie is valid. */
const forMembers: ReadonlySet<string> = new Set<PageName>([
  'mfa',
  'new-password',
  'upgrade',
  'security',
  'consent',
]);

/** The content of these pages depends on whether the visitor is signed in, which their script determines. */
const toldBySession: ReadonlySet<string> = new Set<PageName>(['sign-in', 'signed-out']);

/** Forms on these pages may require a captcha. Users move between these pages without a page load. */
const withCaptcha: ReadonlySet<string> = new Set<PageName>([
  'sign-in',
  'sign-up',
  'code',
  'sso',
  'recover',
  'guest',
  'upgrade',
  'security',
  'signed-out',
]);

export interface PageDeps {
  readonly face: WebFace;
  /**
   * Returns a page in a language, with everything filled in except the parts that depend on the request. Undefined if
   * the page isn't built.
   */
  readonly filled: (page: AnyPage, language: string) => Promise<string | undefined>;
  /** Returns the features that aren't available at the request's address. */
  readonly offHere: (request: FastifyRequest) => readonly string[];
  /** The project's languages, with the default first. */
  readonly languages: readonly string[];
  /** Returns the text below the heading of a sign-in or sign-up page. The text may be empty. */
  readonly lead: (page: AnyPage, language: string, redirectTo: string | null) => string;
  /** Returns the text of an error code. */
  readonly textOf: (code: string, language: string) => string;
  readonly imageSources: readonly string[];
  /** Sources of the captcha provider, if there is a captcha. */
  readonly captchaSources: readonly string[];
  readonly logo: Logo;
  readonly confirm: Omit<ConfirmDeps, 'send'>;
  readonly forms: FormDeps;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
  readonly journeys: JourneyDeps;
  /** Whether a session exists for the cookie. Auth may already have ended that session. */
  readonly keepsSession: (cookie: string | undefined) => Promise<boolean>;
}

/** Placed among the form's hidden fields, which only browsers without scripts show. */
const alertOf = (text: string): string =>
  `<p role="alert" style="color:var(--mantine-color-error)">${escapeText(text)}</p>`;

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

export async function pageRoutes(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { face, filled, offHere, languages, lead, textOf, imageSources, captchaSources, logo } = deps;

  /** Returns the visitor's language and stores an explicit choice from the address. */
  function languageOf(request: FastifyRequest, reply: FastifyReply): string {
    const asked = queryOf(request).get('lang');
    const language = chooseLanguage(
      {
        asked,
        kept: cookieOf(request, languageCookie),
        accepted: request.headers['accept-language'],
      },
      languages,
    );
    if (asked === language) {
      keepCookie(request, reply, languageCookie, language);
    }
    return language;
  }

  const send: Send = async (request, reply, page, fill) => {
    const { fields = '', target = '/account/security', status = 200, isStill = false, problem } = fill;
    const language = languageOf(request, reply);
    const html = await filled(page, language);
    if (html === undefined) {
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send('The web app has not been built. Run: npm run build\n');
    }
    const isWaiting =
      !isStill &&
      toldBySession.has(page) &&
      !queryOf(request).has('again') &&
      (await deps.keepsSession(cookieOf(request, sessionCookie)));
    const isOurCode = problem?.code.startsWith('field.') ?? true;
    const values = {
      FIELDS: fields + (fill.told === undefined ? '' : alertOf(textOf(fill.told, language))),
      TARGET: escapeText(target),
      EMAIL: escapeText(fill.email ?? ''),
      LEAD: escapeText(lead(page, language, queryOf(request).get('redirect_to'))),
      HOST: escapeText(fill.host ?? ''),
      PROBLEM: escapeText(problem === undefined ? '' : textOf(problem.code, language)),
      CODE: escapeText(problem?.code ?? ''),
      REQUEST_ID: escapeText(problem?.requestId ?? request.id),
    };
    const whole = fillValues(html, values)
      .replace('data-off="', `${isWaiting ? 'data-waiting ' : ''}data-off="${offHere(request).join(' ')} `)
      .replace(isStill ? /<script type="module"[^>]*><\/script>/g : '', '')
      .replace(problem !== undefined && isOurCode ? /<details[\s\S]*?<\/details>/ : '', '');
    const withFlow = carryFlow(whole, queryOf(request));
    // Apps' logos may be hosted anywhere, depending on how the operator registered the apps.
    const images = page === 'consent' ? [...imageSources, 'https:'] : imageSources;
    const widgetSources = withCaptcha.has(page) ? captchaSources : [];
    return face.sendPage(request, reply, { html: withFlow, status, imageSources: images, widgetSources });
  };

  app.setErrorHandler((error, request, reply) => {
    const { statusCode: status = 500 } = error as { statusCode?: number };
    if (status >= 500) deps.onError(request, error);
    return send(request, reply, status >= 500 ? 'plain/failed' : 'plain/refused', { status, isStill: true });
  });
  confirmRoutes(app, { ...deps.confirm, send });
  const forms = formRoutes(app, { ...deps.forms, send, onError: deps.onError });
  const hasForm: ReadonlySet<string> = new Set(formPages);
  journeyPages(app, deps.journeys);

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
        // An SVG that is opened directly is a document and could run scripts.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      })
      .type(logo.type)
      .send(logo.bytes);
  });

  for (const page of pageNames) {
    if (page === 'confirm') continue;
    app.get(`/${page}`, (request, reply) => {
      if (page === 'code' && queryOf(request).get('purpose') === 'recover') {
        const flow = carriedFlow(queryOf(request));
        return reply.redirect(`/account/recover${flow === '' ? '' : `?${flow}`}`, 303);
      }
      if (forMembers.has(page) && cookieOf(request, sessionCookie) === undefined) {
        const next = queryOf(request);
        if (page !== 'mfa') next.set('next', page);
        const search = next.toString();
        return reply.redirect(`/account/sign-in${search === '' ? '' : `?${search}`}`, 303);
      }
      if (!hasForm.has(page)) return send(request, reply, page, {});
      const told = queryOf(request).get('problem') ?? undefined;
      return (
        forms.show(request, reply, page) ??
        send(request, reply, page, {
          fields: markedForm(request, reply),
          ...(told === undefined ? {} : { told }),
        })
      );
    });
  }

  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return reply.code(404).send({ code: 'not_found', message: "This page doesn't exist." });
    }
    return send(request, reply, 'error', { status: 404 });
  });
}
