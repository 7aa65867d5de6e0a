/** Whether organizations can have domains, single sign-on and SCIM. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';

/** The key of the role that every organization has, and that only persons grant. */
export const ownerRole = 'owner';

export const hasOrganizationSso = ({
  settings,
  hasOwnTables,
}: Pick<AuthContext, 'settings' | 'hasOwnTables'>): boolean => settings.organizations.enabled && hasOwnTables;

/** @throws {AuthError} feature_disabled */
export function requireOrganizationSso(ctx: AuthContext): void {
  if (!hasOrganizationSso(ctx)) throw authError('feature_disabled', 'Organizations are disabled');
}
