/** Declares `/account/organizations/join`, to which invitations to organizations lead. Works without scripts. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ShownInvitation } from '../../../services/auth/index.ts';
import { isInvitationToken, ourPage, pageWith } from '../arrival.ts';
import { keepAddress } from '../identify.ts';
import { hasParked } from '../parked-sessions.ts';
import { keepStep, stepOf } from '../request-cookies.ts';
import { accountName, mustStepUp } from '../visitor.ts';
import { formOf, isOurs, markedForm, queryOf } from './mark.ts';
import {
  flowBack,
  type OrganizationsDeps,
  type OrganizationTools,
  problemOf,
  roleText,
  still,
} from './organization-tools.ts';
import type { PageFields, Send } from './page-names.ts';
import { sendRefused } from './responses.ts';

const listPage = 'organizations';
const joinPage = 'organizations/join';

export function organizationInvitationRoutes(
  app: FastifyInstance,
  { auth, visitors }: OrganizationsDeps,
  { ifEnabled, entered, refresh, join }: OrganizationTools,
  send: Send,
): void {
  app.get(
    `/${joinPage}`,
    ifEnabled(async (request, reply) => {
      const token = queryOf(request).get('token') ?? '';
      const shown = isInvitationToken(token)
        ? await auth.visitor(request).organizationInvitation(token)
        : undefined;
      if (shown === undefined)
        return send(request, reply, 'plain/invitation-none', { ...still, status: 404 });
      const page = await invitationPage(request, reply, token, shown);
      return page ?? reply;
    }),
  );

  async function invitationPage(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    shown: ShownInvitation,
  ): Promise<FastifyReply | undefined> {
    const { state, email } = shown;
    const visitor = await visitors.present(request);
    const step = stepOf(request);
    const problem = step?.page === joinPage ? step.problem : undefined;
    if (problem !== undefined) keepStep(request, reply, undefined);
    const fields: PageFields = {
      ...still,
      fields: markedForm(request, reply),
      email: email ?? '',
      ...(problem === undefined ? {} : { problem }),
      content: (text) => ({
        values: {
          ORGANIZATION: shown.organization,
          ROLE: roleText(shown, text),
          WHO: visitor === undefined ? '' : accountName(visitor.user),
        },
      }),
    };
    const gone = { ...fields, status: 410 };
    // The page that follows a click on an invitation twice, or on an invitation of an organization that the user has
    // joined in another way.
    if (problem?.code === 'already_member') return send(request, reply, 'plain/invitation-member', fields);
    if (state !== 'open') return send(request, reply, `plain/invitation-${state}`, gone);
    const link = email === null ? '-link' : '';
    // A guest must sign in, because guests can't join organizations.
    if (visitor === undefined || visitor.user.is_anonymous === true)
      return send(request, reply, `plain/invitation-open.signed-out${link}`, fields);
    if (mustStepUp(visitor)) {
      reply.redirect(ourPage('mfa', flowBack(request, { invitation: token })), 303);
      return undefined;
    }
    const own = typeof visitor.user.email === 'string' ? visitor.user.email.toLowerCase() : '';
    if (email !== null && email !== own) return send(request, reply, 'plain/invitation-other', fields);
    if (email !== null && !visitor.user.email_confirmed_at)
      return send(request, reply, 'plain/invitation-unverified', fields);
    const isFirst = problem === undefined;
    if (email === null)
      return send(request, reply, `plain/invitation-open.${isFirst ? 'link' : 'form-link'}`, fields);
    return send(request, reply, `plain/invitation-open${isFirst ? '' : '.form'}`, fields);
  }

  app.post(
    `/${joinPage}`,
    ifEnabled(async (request, reply) => {
      const form = formOf(request);
      if (!isOurs(request, form)) return sendRefused(send, request, reply);
      const token = queryOf(request).get('token') ?? '';
      const here = `/account/${joinPage}?token=${encodeURIComponent(token)}`;
      if (!isInvitationToken(token)) return reply.redirect(here, 303);
      const action = form.get('do') ?? '';
      if (action === 'sign-in' || action === 'sign-up' || action === 'other') {
        const shown = await auth.visitor(request).organizationInvitation(token);
        // The sign-in page then already contains the invited address.
        if (shown?.email) keepAddress(request, reply, shown.email);
        return reply.redirect(signInPage(request, action, token), 303);
      }
      const visitor = await entered(request, reply, { invitation: token });
      if (visitor === undefined) return reply;
      try {
        if (action === 'decline') {
          await auth.user(request, visitor.session).declineInvitation({ token });
          return reply.redirect(pageWith(listPage, '', 'done', 'declined'), 303);
        }
        if (action !== 'accept') return reply.redirect(here, 303);
        await join(request, visitor, token);
        await refresh(request);
        return reply.redirect(pageWith(listPage, '', 'done', 'joined'), 303);
      } catch (error) {
        keepStep(request, reply, { page: joinPage, problem: problemOf(request, error, 'form') });
        return reply.redirect(here, 303);
      }
    }),
  );
}

/**
 * Returns the page on which the recipient signs in. If other accounts are signed in in this browser, the recipient
 * chooses between them first.
 */
function signInPage(request: FastifyRequest, action: 'sign-in' | 'sign-up' | 'other', token: string): string {
  const flow = new URLSearchParams({ next: 'organizations', invitation: token });
  if (action !== 'other') return ourPage(action, flow.toString());
  if (hasParked(request)) return ourPage('accounts', flow.toString());
  flow.set('add', '1');
  return ourPage('sign-in', flow.toString());
}
