/** What the pages about organizations have in common. Everything runs with the user's own permissions. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { ourPage } from '../arrival.ts';
import type { AuthClient } from '../auth-client.ts';
import { carriedFlow } from '../core/html.ts';
import type { StepProblem } from '../core/step.ts';
import { FieldFault } from '../form-fields.ts';
import { mustStepUp, type Visitor, type Visitors } from '../visitor.ts';
import { queryOf } from './mark.ts';
import type { Send } from './page-names.ts';

export interface OrganizationsDeps {
  /** Whether the project has organizations. */
  readonly isEnabled: () => boolean;
  readonly auth: AuthClient;
  readonly visitors: Visitors;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
export type OrganizationTools = ReturnType<typeof createOrganizationTools>;

export function createOrganizationTools(deps: OrganizationsDeps, send: Send) {
  const { isEnabled, auth, visitors } = deps;

  const notFound: Handler = (request, reply) => send(request, reply, 'error', { status: 404 });

  /** Responds with 404 if the project has no organizations, or if its tables are missing. */
  const ifEnabled =
    (handler: Handler): Handler =>
    async (request, reply) => {
      if (!isEnabled()) return notFound(request, reply);
      try {
        return await handler(request, reply);
      } catch (error) {
        if (error instanceof AuthRejection && error.code === 'feature_disabled')
          return notFound(request, reply);
        throw error;
      }
    };

  /** Returns the visitor, or redirects the browser to the page that must come first and returns undefined. */
  async function entered(
    request: FastifyRequest,
    reply: FastifyReply,
    back: Readonly<Record<string, string>> = {},
  ): Promise<Visitor | undefined> {
    const visitor = await visitors.present(request);
    if (visitor !== undefined && !mustStepUp(visitor)) return visitor;
    reply.redirect(ourPage(visitor === undefined ? 'sign-in' : 'mfa', flowBack(request, back)), 303);
    return undefined;
  }

  /** Refreshes the access token, because its claims name the session's organization. */
  const refresh = (request: FastifyRequest) => visitors.present(request, true);

  /** Accepts the invitation and switches to the organization. Joining again changes nothing. */
  async function join(request: FastifyRequest, { session }: Visitor, token: string): Promise<void> {
    const user = auth.user(request, session);
    await user.switchOrganization(await user.acceptInvitation(token));
  }

  return { notFound, ifEnabled, entered, refresh, join };
}

/** The pages contain no scripts. */
export const still = { isStill: true } as const;

/** Returns the query for a page that then continues to the page of the request. */
export function flowBack(request: FastifyRequest, back: Readonly<Record<string, string>>): string {
  const query = queryOf(request);
  query.set('next', 'organizations');
  for (const [name, value] of Object.entries(back)) query.set(name, value);
  return carriedFlow(query);
}

/** Returns the code of an error. The functions of the project's organizations have stable codes in `hint`. */
export function problemOf(request: FastifyRequest, error: unknown, place: string): StepProblem {
  const requestId = request.id;
  if (error instanceof FieldFault) return { code: error.code, place, requestId };
  if (!(error instanceof AuthRejection) || error.status >= 500) throw error;
  const { hint } = error.body;
  return { code: error.code || (typeof hint === 'string' ? hint : '') || 'other', place, requestId };
}

const builtInNames: Readonly<Record<string, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** Returns the name of a role. The built-in roles are translated unless the project or organization renamed them. */
export function roleText(
  { role, roleName }: { readonly role: string; readonly roleName: string },
  text: (code: string) => string,
): string {
  return Object.hasOwn(builtInNames, role) && builtInNames[role] === roleName
    ? text(`role.${role}`)
    : roleName;
}
