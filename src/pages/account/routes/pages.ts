/** Declares the routes under `/account` that serve the prerendered pages, their assets and the logo to browsers. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { ourPage, pageWith } from '../arrival.ts';
import { leftAccounts, memoryCookie, readMemory } from '../core/browser-memory.ts';
import { sessionCookie, stepCookie } from '../core/cookies.ts';
import { type EndedSession, endedCookie, readEnded } from '../core/ended-sessions.ts';
import { carriedFlow } from '../core/html.ts';
import { addressOf } from '../identify.ts';
import { hasParked } from '../parked-sessions.ts';
import { cookieOf, keepCookie, stepOf } from '../request-cookies.ts';
import type { RequestFault } from '../return-address.ts';
import type { Ending } from '../types.ts';
import type { AccountFacts } from '../visitor.ts';
import { type AccountsDeps, accountsRoutes } from './accounts.ts';
import { type ConfirmDeps, confirmRoutes } from './confirm.ts';
import { type FormDeps, formPages, formRoutes } from './forms.ts';
import { type JourneyDeps, journeyPages } from './journeys.ts';
import { markedForm, queryOf } from './mark.ts';
import type { OrganizationsDeps } from './organization-tools.ts';
import { type AnyPage, type PageFields, type PageName, pageNames } from './page-names.ts';
import { createSend, forApps, type SendDeps } from './send.ts';

/**
 * The pages that redirect the browser to the sign-in page if the session cookie is missing. If the browser has a
 * cookie, the page itself checks whether the session is valid.
 */
const forMembers: ReadonlySet<string> = new Set<PageName>([
  'mfa',
  'new-password',
  'join',
  'upgrade',
  'security',
  'consent',
]);

export interface PageDeps extends SendDeps {
  readonly confirm: Omit<ConfirmDeps, 'send'>;
  readonly forms: FormDeps;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
  readonly journeys: JourneyDeps;
  readonly accounts: AccountsDeps;
  readonly organizations: OrganizationsDeps;
  /** Returns the reason why an app's request can't succeed. */
  readonly faultOf: (requested: Readonly<Record<string, unknown>>) => RequestFault | undefined;
  /** Whether the error page for a rejected request names the setting that must be changed. */
  readonly isDevelopment: boolean;
  /** Returns the OpenID clients' logout pages that the browser must load after these sessions have ended. */
  readonly frontchannelUrls: (ended: readonly EndedSession[]) => Promise<readonly string[]>;
  /**
   * Returns the reason why the session that the request's cookie identifies has ended. Returns undefined if the session
   * hasn't ended or never existed.
   */
  readonly endingOf: (request: FastifyRequest) => Promise<Ending | undefined>;
  /** Returns account details from the session's access token, for browsers without scripts. */
  readonly factsOf: (cookie: string | undefined) => Promise<AccountFacts>;
}

/**
 * Whether the browser has several signed-in accounts, or lists accounts without a current account. In both cases, the
 * user chooses an account, unless a query parameter or a form's result selects the sign-in page.
 */
function isKnownBrowser(request: FastifyRequest): boolean {
  const query = queryOf(request);
  const isSelected = ['add', 'again', 'problem'].some((name) => query.has(name));
  if (isSelected || query.get('next') === 'upgrade' || cookieOf(request, stepCookie) !== undefined)
    return false;
  if (cookieOf(request, sessionCookie) !== undefined) return hasParked(request);
  return hasParked(request) || readMemory(cookieOf(request, memoryCookie)).accounts.length > 0;
}

export async function pageRoutes(app: FastifyInstance, deps: PageDeps): Promise<void> {
  const { face, filler } = deps;
  const send = createSend(deps);

  app.setErrorHandler((error, request, reply) => {
    const { statusCode, status: rejected } = error as { statusCode?: number; status?: number };
    const status = statusCode ?? (error instanceof AuthRejection ? rejected : undefined) ?? 500;
    if (status >= 500) deps.onError(request, error);
    return send(request, reply, status >= 500 ? 'plain/failed' : 'plain/refused', { status, isStill: true });
  });
  confirmRoutes(app, { ...deps.confirm, send });
  const forms = formRoutes(app, { ...deps.forms, send, onError: deps.onError });
  const hasForm: ReadonlySet<string> = new Set(formPages);
  journeyPages(app, deps.journeys, send);
  accountsRoutes(app, deps.accounts, send);
  // Loaded with the first request, because a start loads only code that every server needs.
  const { organizationRoutes } = await import('./organizations.ts');
  organizationRoutes(app, { ...deps.organizations, faultOf: deps.faultOf }, send);

  app.get('/', (_request, reply) => reply.redirect('/account/security', 302));
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
    face.sendAsset(request, reply, request.params.name),
  );
  logoRoute(app, filler);

  for (const page of pageNames) {
    // These pages have their own routes.
    if (page === 'confirm' || page === 'organization') continue;
    app.get(`/${page}`, async (request, reply) => {
      if (page === 'code' && queryOf(request).get('purpose') === 'recover') {
        const flow = carriedFlow(queryOf(request));
        return reply.redirect(`/account/recover${flow === '' ? '' : `?${flow}`}`, 303);
      }
      const isOut = async () =>
        cookieOf(request, sessionCookie) === undefined || (await deps.endingOf(request)) !== undefined;
      if (forMembers.has(page) && (await isOut())) {
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
        const flow = carriedFlow(query);
        const lang = query.get('lang');
        const address = lang === null ? ourPage('accounts', flow) : pageWith('accounts', flow, 'lang', lang);
        return reply.redirect(address, 303);
      }
      if (page === 'password' && addressOf(request) === undefined) {
        return reply.redirect(ourPage('sign-in', carriedFlow(query)), 303);
      }
      if (page === 'signed-out') {
        const left = leftAccounts(readMemory(cookieOf(request, memoryCookie)));
        const fields = left.length === 0 ? '' : markedForm(request, reply);
        return send(request, reply, page, { ...(await afterSignOut(request, reply, deps)), left, fields });
      }
      const facts = page === 'security' ? await deps.factsOf(cookieOf(request, sessionCookie)) : undefined;
      if (facts !== undefined)
        return send(request, reply, page, { facts, fields: markedForm(request, reply) });
      if (page === 'confirm-other') {
        const step = stepOf(request);
        const email = step?.page === page ? step.email : undefined;
        return send(request, reply, page, { email: email || null });
      }
      if (!hasForm.has(page)) return send(request, reply, page, {});
      const problem = query.get('problem') ?? undefined;
      const ending = page === 'sign-in' && !query.has('add') ? await deps.endingOf(request) : undefined;
      return (
        (await forms.show(request, reply, page)) ??
        send(request, reply, page, {
          fields: markedForm(request, reply),
          ...(problem === undefined ? {} : { providerError: problem }),
          ...(ending === undefined ? {} : { ending }),
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

/** Returns the logout pages of the clients whose sessions ended with the last sign-out in this browser. */
async function afterSignOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { frontchannelUrls }: PageDeps,
): Promise<PageFields> {
  const ended = readEnded(cookieOf(request, endedCookie));
  if (ended.length === 0) return {};
  keepCookie(request, reply, endedCookie, undefined);
  return { frameUrls: await frontchannelUrls(ended) };
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
        // If a browser opens an SVG file directly, the file is a document and could run scripts without this policy.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      })
      .type(logo.type)
      .send(logo.bytes);
  });
}
