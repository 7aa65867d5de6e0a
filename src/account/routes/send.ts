/** Sends a prerendered page with the parts that depend on the request. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebFace } from '../../kernel/web-face.ts';
import { memoryCookie, readMemory, type SignInWay } from '../core/browser-memory.ts';
import { sessionCookie } from '../core/cookies.ts';
import { frameSourcesOf, framesOf } from '../core/frames.ts';
import { carryFlow, escapeText, fillValues, repeatAccounts, repeatChanges } from '../core/html.ts';
import { chooseLanguage, languageCookie } from '../core/languages.ts';
import { queryOf } from '../core/query.ts';
import { addressOf } from '../identify.ts';
import type { Logo } from '../logo.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { AnyPage, PageFields, PageName, Send } from './page-names.ts';

/**
 * Pages where a sign-in for an app starts. They check the app's request when they open so that no one enters a password
 * for an app that can't receive a session.
 */
export const forApps: ReadonlySet<string> = new Set<PageName>([
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

export interface SendDeps {
  readonly face: WebFace;
  /** Returns the page filler for the current settings. */
  readonly filler: () => PageFiller;
  /** Returns the name of the OAuth client that sent an authorization request. */
  readonly clientName: (authorizationId: string) => Promise<string | undefined>;
  /** Returns whether there is a session for the cookie. Auth may already have ended that session. */
  readonly keepsSession: (cookie: string | undefined) => Promise<boolean>;
}

/** Repeats the rows of the page's lists, and removes what the response has no value for. */
function repeatRows(html: string, { accounts, changes, device }: PageFields): string {
  const listed = accounts === undefined ? html : repeatAccounts(html, accounts);
  const changed = changes === undefined ? listed : repeatChanges(listed, changes);
  return device === undefined ? changed.replace(/<p data-device="[^"]*">.*?<\/p>/s, '') : changed;
}

/** Returns an alert for the form's hidden fields. Only browsers without scripts show this part of the form. */
const alertOf = (text: string): string =>
  `<p role="alert" style="color:var(--mantine-color-error)">${escapeText(text)}</p>`;

export function createSend(deps: SendDeps): Send {
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

  return async (request, reply, page, fill) => {
    const { fields = '', target = '/account/security', status = 200, isStill = false, problem } = fill;
    const { frameUrls = [] } = fill;
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
      CONNECTION: escapeText(fill.connection ?? ''),
      WHEN: escapeText(fill.when ?? ''),
      PROBLEM: escapeText(problem === undefined ? '' : textOf(problem.code, language)),
      CODE: escapeText(problem?.code ?? ''),
      REQUEST_ID: escapeText(problem?.requestId ?? request.id),
    };
    const whole = fillValues(repeatRows(html, fill), values)
      .replace('data-off="', `${isWaiting ? 'data-waiting ' : ''}data-off="${offHere(request).join(' ')} `)
      .replace(isStill ? /<script type="module"[^>]*><\/script>/g : '', '')
      .replace(problem !== undefined && isOurCode ? /<details[\s\S]*?<\/details>/ : '', '')
      .replace('</body>', () => `${framesOf(frameUrls)}</body>`);
    // After a sign-out, the app's request is used up, so links on that page lead to our own sign-in.
    const withFlow = carryFlow(whole, queryOf(request), page === 'signed-out' ? '' : undefined);
    // Logos of apps may come from any host, because operators choose the URLs when they register apps.
    const images = page === 'consent' ? [...imageSources, 'https:'] : imageSources;
    const widgetSources = withCaptcha.has(page) ? captchaSources : [];
    return face.sendPage(request, reply, {
      html: withFlow,
      status,
      imageSources: images,
      widgetSources,
      frameSources: frameSourcesOf(frameUrls),
    });
  };
}

/** Returns the name of the OAuth client that sent the user to a page. */
async function requestingApp(request: FastifyRequest, deps: SendDeps): Promise<string | undefined> {
  const id = queryOf(request).get('authorization_id');
  return id === null ? undefined : deps.clientName(id);
}
