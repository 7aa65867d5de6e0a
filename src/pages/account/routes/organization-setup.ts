/**
 * Declares `/account/organizations/setup`, on which an IT administrator with a setup link sets up single sign-on and SCIM of
 * an organization. Works without scripts and without an account.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import type { SetupAction, SetupOutcome, SetupState } from '../../../services/auth/index.ts';
import { ourPage, pageWith } from '../arrival.ts';
import { setupCookie } from '../core/cookies.ts';
import { type ListRow, repeatLists } from '../core/list-rows.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import { formOf, isOurs, markedForm, queryOf } from './mark.ts';
import { type OrganizationsDeps, type OrganizationTools, still } from './organization-tools.ts';
import type { Send } from './page-names.ts';
import { openElsewhere, sendRefused } from './responses.ts';

const setupPage = 'organizations/setup';
const tokenFormat = /^[A-Za-z0-9_-]{43}$/;
const results: ReadonlySet<string> = new Set([
  'saved',
  'activated',
  'record-found',
  'record-missing',
  'record-unknown',
  'token-revoked',
]);
const maxDetailLength = 200;
/** The metadata of some providers lists many certificates. */
const maxMetadataFormBytes = 524_288;

export function organizationSetupRoutes(
  app: FastifyInstance,
  { auth }: Pick<OrganizationsDeps, 'auth'>,
  { ifEnabled }: Pick<OrganizationTools, 'ifEnabled'>,
  send: Send,
): void {
  const gone = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, 'plain/setup-gone', { ...still, email: null, status: 410 });

  app.get(
    `/${setupPage}`,
    ifEnabled(async (request, reply) => {
      const given = queryOf(request).get('token');
      if (given !== null) {
        // The URL then doesn't contain the token, which could otherwise appear in the history and in logs.
        keepCookie(request, reply, setupCookie, tokenFormat.test(given) ? given : undefined);
        return reply.redirect(ourPage(setupPage, ''), 303);
      }
      return show(request, reply, {});
    }),
  );

  const change = ifEnabled(async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request);
    if (!isOurs(request, form)) return sendRefused(send, request, reply);
    const token = cookieOf(request, setupCookie) ?? '';
    const action = actionOf(form);
    if (action === undefined) return reply.redirect(ourPage(setupPage, ''), 303);
    try {
      const outcome = await auth.visitor(request).changeSetup(token, action);
      if (outcome.open !== undefined) return await openElsewhere(send, request, reply, outcome.open);
      // The token is shown only in this response, and is stored nowhere.
      if (outcome.token !== undefined) return await show(request, reply, { token: outcome.token });
      const done = doneOf(action, outcome);
      return reply.redirect(
        done === undefined ? ourPage(setupPage, '') : pageWith(setupPage, '', 'done', done),
        303,
      );
    } catch (error) {
      if (!(error instanceof AuthRejection) || error.status >= 500) throw error;
      if (error.code === 'otp_expired') return gone(request, reply);
      const { msg } = error.body;
      return show(request, reply, { problem: typeof msg === 'string' ? msg : error.code });
    }
  });
  // In a separate scope, because only this form can be long.
  void app.register(async (scope) => {
    const type = 'application/x-www-form-urlencoded';
    scope.removeContentTypeParser(type);
    scope.addContentTypeParser(
      type,
      { parseAs: 'string', bodyLimit: maxMetadataFormBytes },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    scope.post(`/${setupPage}`, change);
  });

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: { readonly token?: string; readonly problem?: string },
  ): Promise<FastifyReply> {
    const state = await auth
      .visitor(request)
      .readSetup(cookieOf(request, setupCookie) ?? '')
      .catch((error: unknown) => {
        if (error instanceof AuthRejection && error.code === 'otp_expired') return undefined;
        throw error;
      });
    if (state === undefined) return gone(request, reply);
    const isProblem = shown.problem !== undefined;
    const done = queryOf(request).get('done') ?? '';
    const language = auth.languageOf(request);
    return send(request, reply, isProblem ? 'plain/setup.form' : 'plain/setup', {
      ...still,
      status: isProblem ? 422 : 200,
      fields: markedForm(request, reply),
      email: null,
      content: () => ({
        values: {
          ORGANIZATION: state.organization,
          UNTIL: dayIn(language, state.expires_at),
          DETAIL: (shown.problem ?? '').slice(0, maxDetailLength),
          ACS: state.urls.acs_url,
          ENTITY: state.urls.entity_id,
          REDIRECT: state.urls.redirect_url ?? '',
          SCIM: state.urls.scim_url,
        },
        repeat: repeatLists({
          done: !isProblem && results.has(done) ? [{ state: done }] : [],
          ...rowsOf(state, language),
          token: shown.token === undefined ? [] : [{ state: 'new', values: { ROW_VALUE: shown.token } }],
        }),
      }),
    });
  }
}

const dayIn = (language: string, time: string): string =>
  new Date(time).toLocaleDateString(language, { dateStyle: 'long' });

function rowsOf(
  { domains, connection, test, scim_tokens: tokens }: SetupState,
  language: string,
): Record<string, readonly ListRow[]> {
  const draft = connection?.draft ?? undefined;
  const settings = connection?.settings ?? undefined;
  const attributes = test?.attributes ?? [];
  return {
    domains:
      domains.length === 0
        ? [{ state: 'none' }]
        : domains.map(({ id, domain, verified, record_value: value }) => ({
            state: verified ? 'verified' : 'open',
            values: { ROW_ID: id, ROW_NAME: domain, ROW_VALUE: value },
          })),
    provider: [
      ...(settings === undefined ? [] : [{ state: 'now', values: { ROW_NAME: settings.host } }]),
      ...(draft === undefined ? [] : [{ state: 'draft', values: { ROW_NAME: draft.host } }]),
    ],
    result:
      test === null
        ? []
        : [{ state: test.problem ?? 'ok', values: { ROW_NAME: test.email, ROW_VALUE: test.detail } }],
    sent: attributes.map(({ name, value }) => ({
      state: 'attribute',
      values: { ROW_NAME: name, ROW_VALUE: value },
    })),
    test: [
      { state: draft === undefined && settings === undefined ? 'first' : 'start' },
      ...(connection?.is_tested === true ? [{ state: 'activate' }] : []),
    ],
    tokens: tokens.map(({ id, created_at: created }) => ({
      state: 'token',
      values: { ROW_ID: id, ROW_WHEN: dayIn(language, created) },
    })),
  };
}

function actionOf(form: URLSearchParams): SetupAction | undefined {
  const text = (name: string): string => form.get(name) ?? '';
  switch (form.get('do')) {
    case 'check':
      return { do: 'check', domainId: text('id') };
    case 'save-saml':
      return {
        do: 'save',
        settings: { kind: 'saml', metadataUrl: text('metadata_url'), metadataXml: text('metadata_xml') },
      };
    case 'save-oidc':
      return {
        do: 'save',
        settings: {
          kind: 'oidc',
          issuer: text('issuer'),
          clientId: text('client_id'),
          clientSecret: text('client_secret'),
        },
      };
    case 'test':
      return { do: 'test' };
    case 'activate':
      return { do: 'activate' };
    case 'create-token':
      return { do: 'create-token' };
    case 'revoke-token':
      return { do: 'revoke-token', tokenId: text('id') };
    default:
      return undefined;
  }
}

function doneOf(action: SetupAction, { record }: SetupOutcome): string | undefined {
  switch (action.do) {
    case 'check':
      return record === undefined ? undefined : `record-${record}`;
    case 'save':
      return 'saved';
    case 'activate':
      return 'activated';
    case 'revoke-token':
      return 'token-revoked';
    default:
      return undefined;
  }
}
