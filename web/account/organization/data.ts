/** Loads an organization as its members may see it. Row level security decides, so the page hides nothing itself. */
import { callFunction, callRest } from '../rest.ts';
import { t } from '../text.ts';

export interface Role {
  readonly key: string;
  readonly name: string;
  readonly rank: number;
  readonly built_in: boolean;
}

export interface Member {
  readonly user_id: string;
  readonly name: string | null;
  /** Null if the user may not see the member's address. */
  readonly email: string | null;
  readonly role: string;
  readonly joined_at: string;
}

export interface Invitation {
  readonly id: string;
  /** Null for an invitation by link. */
  readonly email: string | null;
  readonly role: string;
  readonly expires_at: string;
}

export interface JoinRequest {
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly message: string | null;
  readonly created_at: string;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly accepts_join_requests: boolean;
  readonly roles: readonly Role[];
}

export interface Organization extends Row {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
  readonly requests: readonly JoinRequest[];
  /** The user's own membership. */
  readonly self: Member;
  /** The rank of the user's role. */
  readonly rank: number;
  /** Whether the user manages the organization. */
  readonly isManager: boolean;
  readonly isOwner: boolean;
}

/** The rank from which roles manage the organization. */
export const managingRank = 50;
export const ownerRole = 'owner';

/** Returns null if the organization doesn't exist or the user isn't a member. */
export async function loadOrganization(id: string, userId: string): Promise<Organization | null> {
  const [rows, members] = await Promise.all([
    callRest<Row[]>(
      `/organizations?id=eq.${id}&select=id,name,slug,accepts_join_requests,roles:organization_roles(key,name,rank,built_in)`,
    ),
    callFunction<Member[]>('organization_members', { organization_id: id }),
  ]);
  const row = rows[0];
  const self = members.find(({ user_id }) => user_id === userId);
  if (row === undefined || self === undefined) return null;
  const roles = [...row.roles].sort(
    (one, other) => other.rank - one.rank || one.key.localeCompare(other.key),
  );
  const rank = roles.find(({ key }) => key === self.role)?.rank ?? 0;
  const isManager = rank >= managingRank;
  const [invitations, requests] = isManager
    ? await Promise.all([
        callRest<Invitation[]>(
          `/organization_invitations?organization_id=eq.${id}&accepted_at=is.null&select=id,email,role,expires_at&order=created_at.desc`,
        ),
        callFunction<JoinRequest[]>('organization_requests', { organization_id: id }),
      ])
    : [[], []];
  const isOwner = self.role === ownerRole;
  return { ...row, roles, members, invitations, requests, self, rank, isManager, isOwner };
}

/** Returns the roles that the user can grant. */
export const grantableRoles = ({ roles, rank }: Organization): readonly Role[] =>
  roles.filter((role) => role.rank <= rank);

/** Whether the user can change or remove a member. */
export const canManage = ({ roles, rank, isManager, self }: Organization, member: Member): boolean =>
  isManager &&
  member.user_id !== self.user_id &&
  (roles.find(({ key }) => key === member.role)?.rank ?? 0) <= rank;

const builtInNames: Readonly<Record<string, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/** Returns the name of a role. The built-in roles are translated unless the project renamed them. */
export function roleName(organization: Pick<Organization, 'roles'>, key: string): string {
  const name = organization.roles.find((role) => role.key === key)?.name ?? key;
  const isOurs = builtInNames[key] === name;
  return isOurs && (key === 'owner' || key === 'admin' || key === 'member') ? t(`role.${key}`) : name;
}

export const memberName = ({ name, email }: Pick<Member, 'name' | 'email'>): string =>
  name ?? email ?? t('members.unnamed');
