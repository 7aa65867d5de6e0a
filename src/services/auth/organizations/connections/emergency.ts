/** The emergency exit: owners of an organization that requires single sign-on can still use their password. */
import type { User } from '../../common/rows.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import { ownerRole } from '../availability.ts';
import { recordOrganizationEvent } from '../history.ts';
import { roleOf } from '../members.ts';

export const isOwnerOf = async (ctx: AuthContext, organizationId: string, userId: string): Promise<boolean> =>
  (await roleOf(ctx, organizationId, userId)) === ownerRole;

/** Records the sign-in of an owner. @throws {AuthError} sso_required for other users */
export async function requireEmergencyOwner(
  ctx: AuthContext,
  organizationId: string,
  { id }: Pick<User, 'id'>,
): Promise<void> {
  if (!(await isOwnerOf(ctx, organizationId, id))) throw authError('sso_required');
  const event = { organizationId, kind: 'emergency_sign_in', actor: 'user', userId: id } as const;
  await recordOrganizationEvent(ctx, ctx.pool, event);
}
