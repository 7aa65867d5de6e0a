/**
 * Declares the pages about organizations: `/account/organizations` lists the user's organizations and works without
 * scripts. The page of a single organization calls the REST service from the browser.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import type { UserOperations } from '../../../services/auth/index.ts';
import { isOrganizationId, ourPage, pageWith } from '../arrival.ts';
import { carriedFlow } from '../core/html.ts';
import { type ListRow, repeatLists } from '../core/list-rows.ts';
import { hostOf } from '../core/return-to.ts';
import { FieldFault } from '../form-fields.ts';
import { keepStep, stepOf } from '../request-cookies.ts';
import type { RequestFault } from '../return-address.ts';
import { accountName, type Visitor } from '../visitor.ts';
import { formOf, isOurs, markedForm, queryOf } from './mark.ts';
import { organizationInvitationRoutes } from './organization-invitations.ts';
import { organizationSetupRoutes } from './organization-setup.ts';
import {
  createOrganizationTools,
  type OrganizationsDeps,
  problemOf,
  roleText,
  still,
} from './organization-tools.ts';
import type { Send } from './page-names.ts';
import { sendRefused } from './responses.ts';

interface OrganizationRouteDeps extends OrganizationsDeps {
  /** Returns the reason why an app's request can't succeed. */
  readonly faultOf: (requested: Readonly<Record<string, unknown>>) => RequestFault | undefined;
}

/** The results that the list confirms. `left` and `deleted` come from the page of an organization. */
const results: ReadonlySet<string> = new Set([
  'created',
  'switched',
  'joined',
  'declined',
  'requested',
  'withdrawn',
  'left',
  'deleted',
]);
const maxNameLength = 100;
const maxSlugLength = 63;
const maxMessageLength = 500;
const listPage = 'organizations';

export function organizationRoutes(app: FastifyInstance, deps: OrganizationRouteDeps, send: Send): void {
  const { auth, faultOf } = deps;
  const tools = createOrganizationTools(deps, send);
  const { notFound, ifEnabled, entered, refresh } = tools;
  organizationInvitationRoutes(app, deps, tools, send);
  organizationSetupRoutes(app, deps, tools, send);

  app.get(
    `/${listPage}`,
    ifEnabled(async (request, reply) => {
      const visitor = await entered(request, reply);
      if (visitor === undefined) return reply;
      if (visitor.user.is_anonymous === true) return send(request, reply, 'plain/organizations-guest', still);
      const own = await auth.user(request, visitor.session).organizations();
      // A request that was sent is in the list of requests.
      const available = own.available.filter((one) => one.policy === 'join' || !one.requested);
      const query = queryOf(request);
      const done = query.get('done') ?? '';
      const step = stepOf(request);
      const problem = step?.page === listPage ? step.problem : undefined;
      if (problem !== undefined) keepStep(request, reply, undefined);
      const state =
        problem?.place ?? (own.organizations.length + available.length === 0 ? 'empty' : undefined);
      const typed = step?.page === listPage ? (step.typed ?? '') : '';
      return send(
        request,
        reply,
        state === undefined ? 'plain/organizations' : `plain/organizations.${state}`,
        {
          ...still,
          fields: markedForm(request, reply),
          email: accountName(visitor.user),
          ...(problem === undefined ? {} : { problem }),
          content: (text) => ({
            values: {
              TYPED_NAME: problem?.place === 'name' ? typed : '',
              TYPED_SLUG: problem?.place === 'slug' ? typed : '',
            },
            repeat: repeatLists({
              done: problem === undefined && results.has(done) ? [{ state: done }] : [],
              ...rowsOf({ ...own, available }, text),
              app: appRows(query),
            }),
          }),
        },
      );
    }),
  );

  /** The link back to the app that opened the list, so that the user can choose an organization for the app. */
  function appRows(query: URLSearchParams): readonly ListRow[] {
    const target = query.get('redirect_to') ?? '';
    const host = hostOf(target);
    const isAllowed = host !== undefined && faultOf(Object.fromEntries(query)) === undefined;
    return isAllowed ? [{ state: 'app', values: { ROW_NAME: host } }] : [];
  }

  app.post(
    `/${listPage}`,
    ifEnabled(async (request, reply) => {
      const form = formOf(request);
      if (!isOurs(request, form)) return sendRefused(send, request, reply);
      const visitor = await entered(request, reply);
      if (visitor === undefined) return reply;
      const flow = carriedFlow(queryOf(request));
      try {
        const done = await change(request, visitor, form);
        if (done === undefined) return reply.redirect(ourPage(listPage, flow), 303);
        await refresh(request);
        return reply.redirect(pageWith(listPage, flow, 'done', done), 303);
      } catch (error) {
        const place = form.has('name') ? 'name' : form.has('slug') ? 'slug' : 'form';
        const typed = (form.get('name') ?? form.get('slug') ?? '').slice(0, maxNameLength);
        const problem = problemOf(request, error, place);
        keepStep(request, reply, { page: listPage, problem, ...(typed === '' ? {} : { typed }) });
        return reply.redirect(ourPage(listPage, flow), 303);
      }
    }),
  );

  /** Makes the change that the form requests. Returns its result, or undefined if the form requests none. */
  async function change(
    request: FastifyRequest,
    visitor: Visitor,
    form: URLSearchParams,
  ): Promise<string | undefined> {
    const user = auth.user(request, visitor.session);
    const idIn = (name: string): string | undefined => {
      const id = form.get(name) ?? '';
      return isOrganizationId(id) ? id : undefined;
    };
    const [declined, chosen, withdrawn, joined] = ['decline', 'switch', 'withdraw', 'join'].map(idIn);
    if (declined !== undefined) {
      await user.declineInvitation({ id: declined });
      return 'declined';
    }
    if (chosen !== undefined) {
      await user.switchOrganization(chosen);
      return 'switched';
    }
    if (withdrawn !== undefined) {
      await user.withdrawRequest(withdrawn);
      return 'withdrawn';
    }
    if (joined !== undefined) return joinByDomain(user, joined);
    if (form.has('name')) {
      const name = trimmedIn(form, 'name', maxNameLength, 'field.organization-missing');
      await user.switchOrganization(await user.createOrganization(name));
      return 'created';
    }
    if (form.has('slug')) {
      const slug = trimmedIn(form, 'slug', maxSlugLength, 'field.slug-missing').toLowerCase();
      await user.requestToJoin(slug, form.get('message')?.trim().slice(0, maxMessageLength) || null);
      return 'requested';
    }
    return undefined;
  }

  app.get<{ Params: { id: string } }>('/organizations/:id', (request, reply) => {
    const { id } = request.params;
    const page = ifEnabled(async () => {
      if (!isOrganizationId(id)) return notFound(request, reply);
      const visitor = await entered(request, reply, { organization: id });
      if (visitor === undefined) return reply;
      return send(request, reply, 'organization', { content: () => ({ values: { ORGANIZATION_ID: id } }) });
    });
    return page(request, reply);
  });
}

/** Returns the rows of the lists. */
function rowsOf(
  { organizations, invitations, requests, available }: Awaited<ReturnType<UserOperations['organizations']>>,
  text: (code: string) => string,
): Readonly<Record<string, readonly ListRow[]>> {
  return {
    invitations: invitations.map((one) => {
      const values = { ROW_ID: one.id, ROW_NAME: one.organization, ROW_ROLE: roleText(one, text) };
      return { state: 'open', values };
    }),
    available: available.map((one) => {
      const values = { ROW_ID: one.id, ROW_NAME: one.name, ROW_DOMAIN: one.domain };
      return { state: one.policy, values };
    }),
    organizations: organizations.map((one) => {
      const values = { ROW_ID: one.id, ROW_NAME: one.name, ROW_ROLE: roleText(one, text) };
      return { state: one.isCurrent ? 'current' : 'other', values };
    }),
    requests: requests.map((one) => {
      return { state: 'sent', values: { ROW_ID: one.id, ROW_NAME: one.organization } };
    }),
  };
}

/** Joins the organization of the user's email domain and switches to it, or asks to join. */
async function joinByDomain(user: UserOperations, id: string): Promise<string> {
  try {
    const result = await user.joinOrganization(id);
    if (result === 'joined') await user.switchOrganization(id);
    return result;
  } catch (error) {
    if (error instanceof AuthRejection && error.code === 'no_authorization')
      throw new FieldFault('field.organization-closed', 'form');
    throw error;
  }
}

function trimmedIn(form: URLSearchParams, name: string, maxLength: number, missing: string): string {
  const text = form.get(name)?.trim() ?? '';
  if (text === '') throw new FieldFault(missing, name);
  return text.slice(0, maxLength);
}
