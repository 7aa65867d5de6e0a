/**
 * The operations of the Account pages for a user's own organizations and invitations. The project owns the tables and
 * functions, and its row level security decides. Errors that its functions raise are passed on.
 */
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Call, Operation } from '../common/operation.ts';
import { limitByAddress } from '../limits/guards.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { hasOrganizationSso } from './availability.ts';
import { type AvailableOrganization, availableOrganization, joinAs } from './domains/join.ts';
import { inProject } from './project.ts';

export interface OwnOrganization {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly roleName: string;
  /** Whether the session has switched to this organization. */
  readonly isCurrent: boolean;
}

/** An open invitation for the user's confirmed address. */
export interface OwnInvitation {
  readonly id: string;
  readonly organization: string;
  readonly role: string;
  readonly roleName: string;
}

/** A request to join that no member has answered. */
export interface OwnRequest {
  readonly id: string;
  readonly organization: string;
}

export interface OwnOrganizations {
  readonly organizations: readonly OwnOrganization[];
  readonly invitations: readonly OwnInvitation[];
  readonly requests: readonly OwnRequest[];
  /** The organizations that the user can join because of the address. */
  readonly available: readonly AvailableOrganization[];
}

/** An invitation, as shown to the holder of its token. */
export interface ShownInvitation {
  readonly organization: string;
  readonly role: string;
  readonly roleName: string;
  /** Null for an invitation by link. */
  readonly email: string | null;
  readonly state: 'open' | 'used' | 'expired';
}

/** Identifies an invitation that is declined, by its token or, if it's for the user's confirmed address, by its ID. */
export type InvitationKey = { readonly token: string } | { readonly id: string };

const maxOrganizations = 500;

/** Returns the user's organizations, invitations and requests to join. */
export const readOwnOrganizations: Operation<Call, OwnOrganizations> = {
  on: 'GET /organizations',
  async run(ctx, { caller }) {
    const self = await requirePerson(ctx, caller);
    const own = await inProject(
      ctx,
      self.claims,
      async (tx) => ({
        organizations: await tx.query<OwnOrganization>(sql`
          select o.id::text, o.name, m.role, r.name as "roleName",
            coalesce(o.id = (select org_id from org.token_claims() limit 1), false) as "isCurrent"
          from public.organization_memberships m
          join public.organizations o on o.id = m.organization_id
          join public.organization_roles r on r.organization_id = m.organization_id and r.key = m.role
          where m.user_id = auth.uid()
          order by lower(o.name), o.id
          limit ${maxOrganizations}`),
        invitations: await tx.query<OwnInvitation>(sql`
          select id::text, organization_name as organization, role, role_name as "roleName"
          from public.my_organization_invitations()`),
        requests: await tx.query<OwnRequest>(sql`
          select id::text, organization_name as organization from public.my_organization_requests()`),
      }),
      { readOnly: true },
    );
    const available = hasOrganizationSso(ctx) ? await availableOrganization(ctx, self) : undefined;
    return { ...own, available: available === undefined ? [] : [available] };
  },
};

/** Returns the invitation that a token belongs to, or undefined if the token is unknown. Requires no session. */
export const readInvitation: Operation<Call & { readonly token: string }, ShownInvitation | undefined> = {
  on: 'GET /organizations/invitations',
  async run(ctx, { token }) {
    const [found] = await inProject(
      ctx,
      { role: 'anon' },
      (tx) =>
        tx.query<ShownInvitation>(sql`
          select organization_name as organization, role, role_name as "roleName", email, state
          from public.organization_invitation(token => ${token})`),
      { readOnly: true },
    );
    return found;
  },
};

/** Returns an operation that runs one of the project's functions as the user, and returns the function's result. */
function change<Fields extends object>(
  on: Operation<Call, string>['on'],
  statement: (fields: Fields) => Sql,
): Operation<Call & Fields, string> {
  return {
    on,
    guards: [limitByAddress('user')],
    async run(ctx, input) {
      const { claims } = await requirePerson(ctx, input.caller);
      const [row] = await inProject(ctx, claims, (tx) =>
        tx.query<{ result: string | null }>(statement(input)),
      );
      return row?.result ?? '';
    },
  };
}

/** Returns the new organization's ID. */
export const createOrganization = change<{ readonly name: string }>(
  'POST /organizations',
  ({ name }) => sql`select (public.create_organization(name => ${name})).id::text as result`,
);

/** Selects the organization of the session. */
export const switchOrganization = change<{ readonly id: string | null }>(
  'PUT /organizations/current',
  ({ id }) => sql`select public.switch_organization(organization_id => ${id}::uuid)::text as result`,
);

/** Returns the ID of the organization that the user has joined. */
export const acceptInvitation = change<{ readonly token: string }>(
  'POST /organizations/invitations/accept',
  ({ token }) => sql`select public.accept_organization_invitation(token => ${token})::text as result`,
);

export const declineInvitation = change<{ readonly key: InvitationKey }>(
  'POST /organizations/invitations/decline',
  ({ key }) =>
    'token' in key
      ? sql`select public.decline_organization_invitation(token => ${key.token})::text as result`
      : sql`select public.decline_organization_invitation(invitation_id => ${key.id}::uuid)::text as result`,
);

export const requestToJoin = change<{ readonly slug: string; readonly message: string | null }>(
  'POST /organizations/requests',
  ({ slug, message }) =>
    sql`select public.request_to_join_organization(slug => ${slug}, message => ${message})::text as result`,
);

/** Deletes a request of the user. The policy of the table also lets members who manage the organization delete it. */
export const withdrawRequest = change<{ readonly id: string }>(
  'DELETE /organizations/requests',
  ({ id }) =>
    sql`delete from public.organization_join_requests where id = ${id}::uuid and user_id = auth.uid() returning id::text as result`,
);

/** Joins the organization that holds the domain of the user's address, or asks to join. */
export const joinByDomain: Operation<Call & { readonly id: string }, 'joined' | 'requested'> = {
  on: 'POST /organizations/:id/join',
  guards: [limitByAddress('user')],
  run: (ctx, { caller, id }) => joinAs(ctx, caller, id),
};
