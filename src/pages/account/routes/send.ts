/** Sends a prerendered page after filling in the parts that depend on the request. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebFace } from '../../../base/kernel/web-face.ts';
import { memoryCookie, readMemory, type SignInWay } from '../core/browser-memory.ts';
import { sessionCookie } from '../core/cookies.ts';
import { frameSourcesOf, framesOf } from '../core/ended-sessions.ts';
import { carryFlow, escapeText, fillValues, repeatAccounts, repeatChanges } from '../core/html.ts';
import { chooseLanguage, languageCookie } from '../core/languages.ts';
import { addressOf } from '../identify.ts';
import type { Logo } from '../logo.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import { queryOf } from './mark.ts';
import type { AnyPage, PageFields, PageName, Send } from './page-names.ts';

/**
 * The pages on which a sign-in for an app can start. The app's request is checked when these pages are opened. Without
 * this check, users might enter a password for an app that can't receive a session.
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

/** Whether the page names the app to which the user will return. */
const namesApp = (page: string): boolean => forApps.has(page) || page === 'accounts';

/** The pages whose scripts show different content to signed-in visitors. */
const pagesForSignedOut: ReadonlySet<string> = new Set<PageName>(['sign-in', 'signed-out']);

/** The pages whose forms may require a captcha. Scripts switch between these pages without loading a new document. */
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
  'organization',
  'two-step',
  'signed-out',
]);

/**
 * The error codes for typing mistakes. `web/account/form/problems.ts` also lists those of the codes that the auth service
 * returns.
 */
const mistakes: ReadonlySet<string> = new Set([
  'invalid_credentials',
  'otp_expired',
  'mfa_verification_failed',
  'mfa.recovery-missing',
  'mfa.recovery-wrong',
]);

/** If scripts are disabled and the user is still signed in, redirects the browser to the list of its accounts. */
const toAccounts = '<noscript><meta http-equiv="refresh" content="0;url=/account/accounts"></noscript>';

/** Provides the parts of pages that depend on the project's settings. */
export interface PageFiller {
  /**
   * Returns a page in a language. All parts are filled in, except those that depend on the request. Returns undefined
   * if the page isn't built. `last` is the sign-in method that was most recently used in the browser.
   */
  readonly filled: (
    page: AnyPage,
    language: string,
    last: SignInWay | undefined,
  ) => Promise<string | undefined>;
  /** Returns the features that don't work on pages with the origin of the request. */
  readonly offHere: (request: FastifyRequest) => readonly string[];
  /** The project's languages. The first language is the default. */
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
  /**
   * The captcha provider's sources for the content security policy. The list is empty if the project doesn't use a
   * captcha.
   */
  readonly captchaSources: readonly string[];
  readonly logo: Logo;
}

export interface SendDeps {
  readonly face: WebFace;
  /** Returns the page filler for the current settings. */
  readonly filler: () => PageFiller;
  /** Returns the name of the OAuth client that sent an authorization request. */
  readonly clientName: (authorizationId: string) => Promise<string | undefined>;
  /** Whether a session is stored for the cookie. The auth service may already have ended this session. */
  readonly keepsSession: (cookie: string | undefined) => Promise<boolean>;
}

/** Fills the page's lists, and removes the line about the device if the device is unknown. */
function repeatRows(html: string, { accounts, changes, device, left = [] }: PageFields): string {
  const known =
    left.length === 0
      ? html.replace(/<form[^>]* data-left="[^"]*".*?<\/form>/s, '')
      : html.replace(/(<bdi[^>]*>)%PLINTH_LEFT%(<\/bdi>)/, (_, start, end) =>
          left.map((name) => `${start}${escapeText(name)}${end}`).join(', '),
        );
  const listed = accounts === undefined ? known : repeatAccounts(known, accounts);
  const changed = changes === undefined ? listed : repeatChanges(listed, changes);
  return device === undefined ? changed.replace(/<p data-device="[^"]*">.*?<\/p>/s, '') : changed;
}

/**
 * Returns an alert to insert before the form's hidden fields. Only browsers that run no scripts show this part of the
 * form.
 */
const alertOf = (text: string): string =>
  `<p role="alert" style="color:var(--mantine-color-error)">${escapeText(text)}</p>`;

export function createSend(deps: SendDeps): Send {
  const { face, filler } = deps;

  /** Returns the visitor's language. Stores the language if the URL contains an explicit choice. */
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
    const { last, accounts } = readMemory(cookieOf(request, memoryCookie));
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
    // The name of the page doesn't include the state, which follows the dot.
    const name = page.replace(/^plain\/|\..*/g, '');
    const client = namesApp(name) ? await requestingApp(request, deps) : undefined;
    // If the browser has a session cookie, the page shows its form only if the session has ended. The form then
    // contains the account's address.
    const endedAddress =
      page === 'sign-in' && !queryOf(request).has('add') && cookieOf(request, sessionCookie) !== undefined
        ? accounts[0]?.name
        : undefined;
    const needsNoCode =
      problem === undefined || problem.code.startsWith('field.') || mistakes.has(problem.code);
    const { repeat, values: pageValues = {} } = fill.content?.((code) => textOf(code, language)) ?? {};
    const own = Object.entries(pageValues).map(([key, text]) => [key, escapeText(text)]);
    const values: Readonly<Record<string, string>> = {
      ...Object.fromEntries(own),
      FIELDS:
        fields +
        (fill.providerError === undefined ? '' : alertOf(textOf(fill.providerError, language))) +
        (fill.ending === undefined ? '' : `<p>${escapeText(textOf(`ended.${fill.ending}`, language))}</p>`),
      TARGET: escapeText(target),
      EMAIL: escapeText(
        fill.email === null
          ? textOf('field.your-email', language)
          : (fill.email ?? addressOf(request) ?? endedAddress ?? ''),
      ),
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
    const whole = fillValues(repeatRows(repeat?.(html) ?? html, fill), values)
      .replace('data-off="', `${isWaiting ? 'data-waiting ' : ''}data-off="${offHere(request).join(' ')} `)
      .replace(isStill ? /<script type="module"[^>]*><\/script>/g : '', '')
      .replace(problem !== undefined && needsNoCode ? /<details data-technical[\s\S]*?<\/details>/ : '', '')
      .replace('</head>', () => (isWaiting && page === 'signed-out' ? `${toAccounts}</head>` : '</head>'))
      .replace('</body>', () => `${framesOf(frameUrls)}</body>`);
    // A sign-out discards the app's request, so links on the signed-out page lead to Plinth's own sign-in page.
    const withFlow = carryFlow(whole, queryOf(request), page === 'signed-out' ? '' : undefined);
    // App logos may be on any host, because operators enter the URLs of the logos when they register apps.
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

/** Returns the name of the OAuth client that sent the user to the page. */
async function requestingApp(request: FastifyRequest, deps: SendDeps): Promise<string | undefined> {
  const id = queryOf(request).get('authorization_id');
  return id === null ? undefined : deps.clientName(id);
}
