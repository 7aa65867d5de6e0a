/** The domains, single sign-on and provisioning of an organization, which the auth service manages. */
import { callAuth, callService } from '../session.ts';

export type JoinPolicy = 'never' | 'request' | 'join';

export interface Domain {
  readonly id: string;
  readonly domain: string;
  readonly verified: boolean;
  readonly missing_since: string | null;
  readonly record_name: string;
  readonly record_value: string;
  readonly join_policy: JoinPolicy;
  readonly join_role: string;
}

export interface Connection {
  readonly settings: { readonly host: string } | null;
  readonly is_active: boolean;
  readonly is_disabled: boolean;
  readonly is_enforced: boolean;
  readonly adds_members: boolean;
  readonly default_role: string;
  readonly group_roles: readonly { readonly group: string; readonly role: string }[];
}

export interface SetupLink {
  readonly id: string;
  readonly expires_at: string;
}

export interface ScimToken {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** A change of the domains, single sign-on or provisioning. */
export interface Change {
  readonly kind: string;
  readonly actor: 'user' | 'setup' | 'scim' | 'server';
  readonly user_id: string | null;
  readonly email: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface Sso {
  readonly domains: readonly Domain[];
  readonly connection: Connection | null;
  readonly urls: { readonly scim_url: string };
  readonly scim_tokens: readonly ScimToken[];
  readonly scim_users: number;
  readonly links: readonly SetupLink[];
  /** The latest changes, newest first. */
  readonly events: readonly Change[];
}

export const loadSso = (organizationId: string): Promise<Sso> =>
  callService<Sso>(`/auth/v1/organizations/${organizationId}/sso`, {});

export const callSso = <T = void>(
  organizationId: string,
  path: string,
  method: 'POST' | 'PATCH' | 'DELETE',
  body?: object,
): Promise<T> =>
  callAuth<T>(`/organizations/${organizationId}${path}`, { method, ...(body === undefined ? {} : { body }) });
