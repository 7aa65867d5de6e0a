/** Declares `/account/*` for browsers: the prerendered pages, their assets and the logo. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebFace } from '../../kernel/web-face.ts';
import { ourPage } from '../arrival.ts';
import { memoryCookie, readMemory, type SignInWay } from '../core/browser-memory.ts';
import { sessionCookie, stepCookie } from '../core/cookies.ts';
import { carriedFlow, carryFlow, escapeText, fillValues, repeatAccounts } from '../core/html.ts';
import { chooseLanguage, languageCookie } from '../core/languages.ts';
import { queryOf } from '../core/query.ts';
import { addressOf } from '../identify.ts';
import type { Logo } from '../logo.ts';
import { hasParked } from '../parked-sessions.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { RequestFault } from '../return-address.ts';
import type { AccountFacts } from '../visitor.ts';
import { type AccountsDeps, accountsRoutes } from './accounts.ts';
import { type ConfirmDeps, confirmRoutes } from './confirm.ts';
import { type FormDeps, formPages, formRoutes } from './forms.ts';
import { type JourneyDeps, journeyPages } from './journeys.ts';
import { markedForm } from './mark.ts';
import { type AnyPage, type PageName, pageNames, type Send } from './page-names.ts';

/**
 * Pages that redirect to sign-in if the cookie is missing. The page itself determines whether an existing cookie is
 * valid.
 */
const forMembers: ReadonlySet<string> = new Set<PageName>([
  'mfa',
  'new-password',
  'join',
  'upgrade',
  'security',
  'consent',
]);

/**
 * Pages where a sign-in for an app starts. They check the app's request when they open so that no one enters a password
 * for an app that can't receive a session.
 */
const forApps: ReadonlySet<string> = new Set<PageName>([
  'sign-in',
  'password',
  'sign-up',
  'code',
  'recover',
  'sso',
  'guest',
  'upgrade',
]);

/** Pages whose content depends on whether the visitor is signed in, which the pages' scripts determine. */
const pagesForSignedOut: ReadonlySet<string> = new Set<PageName>(['sign-in', 'signed-out']);

/** Pages whose forms may require a captcha. Users move between these pages without a page load. */
const withCaptcha: ReadonlySet<string> = new Set<PageName>([
  'sign-in',
  'password',
  'sign-up',
  'code',
  'sso',
  'recover',
  'guest',
  'upgrade',
  'security',
  'signed-out',
]);

/** The parts of the pages that depend on the settings. */
export interface PageFiller {
  /**
   * Returns a page in a language. Everything is filled in except the parts that depend on the request. Returns
   * undefined if the page isn't built. `last` is the way that was used last in this browser.
   */
  readonly filled: (
    page: AnyPage,
    language: string,
    last: SignInWay | undefined,
  ) => Promise<string | undefined>;
  /** Returns the features that aren't available at the address of the request. */
  readonly offHere: (request: FastifyRequest) => readonly string[];
  /** The project's languages. The default language is first. */
  readonly languages: readonly string[];
  /** Returns the text below the heading of a sign-in or sign-up page. The text may be empty. */
  readonly intro: (
    page: AnyPage,
    language: string,
    destination: { readonly redirectTo: string | null; readonly app: string | undefined },
  ) => string;
  /** Returns the text for an error code. */
  readonly textOf: (code: string, language: string) => string;
  readonly imageSources: readonly string[];
  /** Sources of the captcha provider. Empty if the project doesn't use a captcha. */
  readonly captchaSources: readonly string[];
  readonly logo: Logo;
}

export interface PageDeps {
  readonly face: WebFace;
  /** Returns the page filler for the current settings. */
  readonly filler: () => PageFiller;
  readonly confirm: Omit<ConfirmDeps, 'send'>;
  readonly forms: FormDeps;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
  readonly journeys: JourneyDeps;
  readonly accounts: AccountsDeps;
  /** Returns the reason why an app's request can't succeed. */
  readonly faultOf: (requested: Readonly<Record<string, unknown>>) => RequestFault | undefined;
  /** Whether a rejected request names the setting to change. */
  readonly isDevelopment: boolean;
  /** Returns the name of the OAuth client that sent an authorization request. */
  readonly clientName: (authorizationId: string) => Promise<string | undefined>;
  /** Returns the facts that the token of the cookie's session contains, for browsers without scripts. */
  readonly factsOf: (cookie: string | undefined) => Promise<AccountFacts>;
  /** Returns whether there is a session for the cookie. Auth may already have ended that session. */
  readonly keepsSession: (cookie: string | undefined) => Promise<boolean>;
}

/**
 * Whether the browser knows accounts of which none is current. The user then chooses one of them, unless a query
 * parameter or the result of a form selects the sign-in page.
 */
function isKnownBrowser(request: FastifyRequest): boolean {
  const query = queryOf(request);
  const isSelected = ['add', 'again', 'problem'].some((name) => query.has(name));
  if (isSelected || query.get('next') === 'upgrade' || cookieOf(request, sessionCookie) !== undefined)
    return false;
  if (cookieOf(request, stepCookie) !== undefined) return false;
  return hasParked(request) || readMemory(cookieOf(request, memoryCookie)).accounts.length > 0;
}

/** Returns an alert for the form's hidden fields. Only browsers without scripts show this part of the form. */
const alertOf = (text: string): string =>
  `<p role="alert" style="color:var(--mantine-color-error)">${escapeText(text)}</p>`;

export async function pageRoutes(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { face, filler } = deps;

  /** Returns the visitor's language. If the URL contains an explicit choice, the choice is stored. */
  function languageOf(request: FastifyRequest, reply: FastifyReply): string {
    const requested = queryOf(request).get('lang');
    const language = chooseLanguage(
      {
        requested,
        kept: cookieOf(request, languageCookie),
        accepted: request.headers['accept-language'],
      },
      filler().languages,
    );
    if (requested === language) {
      keepCookie(request, reply, languageCookie, language);
    }
    return language;
  }

  const send: Send = async (request, reply, page, fill) => {
    const { fields = '', target = '/account/security', status = 200, isStill = false, problem } = fill;
    const language = languageOf(request, reply);
    const { last } = readMemory(cookieOf(request, memoryCookie));
    const { filled, offHere, intro, textOf, imageSources, captchaSources } = filler();
    const html = await filled(page, language, last);
    if (html === undefined) {
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send('The web app has not been built. Run: npm run build\n');
    }
    const isWaiting =
      !isStill &&
      pagesForSignedOut.has(page) &&
      !queryOf(request).has('again') &&
      !queryOf(request).has('add') &&
      (await deps.keepsSession(cookieOf(request, sessionCookie)));
    const client = forApps.has(page) ? await requestingApp(request, deps) : undefined;
    const isOurCode = problem?.code.startsWith('field.') ?? true;
    const values = {
      FIELDS:
        fields + (fill.providerError === undefined ? '' : alertOf(textOf(fill.providerError, language))),
      TARGET: escapeText(target),
      EMAIL: escapeText(fill.email ?? addressOf(request) ?? ''),
      INTRO: escapeText(
        intro(page, language, { redirectTo: queryOf(request).get('redirect_to'), app: client }),
      ),
      APP: escapeText(client ?? ''),
      FACT_EMAIL: escapeText(fill.facts?.email ?? ''),
      FACT_PHONE: escapeText(fill.facts?.phone ?? ''),
      FACT_PROVIDERS: escapeText(fill.facts?.providers ?? ''),
      NUMBER: String(fill.number ?? '–'),
      BROWSER: escapeText(fill.device?.browser ?? ''),
      SYSTEM: escapeText(fill.device?.system ?? ''),
      HOST: escapeText(fill.host ?? ''),
      WHEN: escapeText(fill.when ?? ''),
      PROBLEM: escapeText(problem === undefined ? '' : textOf(problem.code, language)),
      CODE: escapeText(problem?.code ?? ''),
      REQUEST_ID: escapeText(problem?.requestId ?? request.id),
    };
    const listed = fill.accounts === undefined ? html : repeatAccounts(html, fill.accounts);
    const whole = fillValues(listed, values)
      .replace('data-off="', `${isWaiting ? 'data-waiting ' : ''}data-off="${offHere(request).join(' ')} `)
      .replace(isStill ? /<script type="module"[^>]*><\/script>/g : '', '')
      .replace(problem !== undefined && isOurCode ? /<details[\s\S]*?<\/details>/ : '', '');
    const withFlow = carryFlow(whole, queryOf(request));
    // Logos of apps may come from any host, because operators choose the URLs when they register apps.
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
  accountsRoutes(app, deps.accounts, send);

  app.get('/', (_request, reply) => reply.redirect('/account/security', 302));
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
    face.sendAsset(request, reply, request.params.name),
  );
  logoRoute(app, filler);

  for (const page of pageNames) {
    if (page === 'confirm') continue;
    app.get(`/${page}`, async (request, reply) => {
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
      const query = queryOf(request);
      if (forApps.has(page) && (query.get('redirect_to') ?? '') !== '') {
        const fault = deps.faultOf(Object.fromEntries(query));
        if (fault !== undefined)
          return send(request, reply, refusedPage(fault, deps.isDevelopment), {
            status: 400,
            isStill: true,
            target: query.get('redirect_to') ?? '',
          });
      }
      if (page === 'sign-in' && isKnownBrowser(request)) {
        return reply.redirect(ourPage('accounts', carriedFlow(query)), 303);
      }
      if (page === 'password' && addressOf(request) === undefined) {
        return reply.redirect(ourPage('sign-in', carriedFlow(query)), 303);
      }
      const facts = page === 'security' ? await deps.factsOf(cookieOf(request, sessionCookie)) : undefined;
      if (facts !== undefined)
        return send(request, reply, page, { facts, fields: markedForm(request, reply) });
      if (!hasForm.has(page)) return send(request, reply, page, {});
      const problem = queryOf(request).get('problem') ?? undefined;
      return (
        (await forms.show(request, reply, page)) ??
        send(request, reply, page, {
          fields: markedForm(request, reply),
          ...(problem === undefined ? {} : { providerError: problem }),
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

const refusedPage = (fault: RequestFault, isDevelopment: boolean): AnyPage =>
  `plain/refused-${fault}${isDevelopment ? '-development' : ''}`;
function logoRoute(app: FastifyInstance, filler: PageDeps['filler']): void {
  app.get('/logo', (_request, reply) => {
    const { logo } = filler();
    if ('address' in logo) return reply.redirect(logo.address, 302);
    return reply
      .headers({
        'cache-control': 'public, max-age=3600',
        'x-content-type-options': 'nosniff',
        // This policy is necessary because an SVG that is opened directly is a document and could run scripts.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      })
      .type(logo.type)
      .send(logo.bytes);
  });
}

/** Returns the name of the OAuth client that sent the user to a page. */
async function requestingApp(request: FastifyRequest, deps: PageDeps): Promise<string | undefined> {
  const id = queryOf(request).get('authorization_id');
  return id === null ? undefined : deps.clientName(id);
}
