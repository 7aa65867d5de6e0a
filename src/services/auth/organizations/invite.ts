/**
 * Emails invitations to organizations. The invitation is created by the project's function, which runs as the inviter
 * with the same role and claims as a request to the REST service, so the inviter's permissions decide.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Claims } from '../../../platform/keys/types.ts';
import { parseEmail } from '../common/contact.ts';
import type { Call, Operation } from '../common/operation.ts';
import { encodeQuery } from '../common/redirects.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { limitByAddress } from '../limits/guards.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { runAsUser } from './as-user.ts';
import { type Invitation, sendInvitation } from './invitation-mail.ts';

export interface Invited {
  readonly id: string;
  readonly email: string;
  readonly expires_at: string;
}

/** Creates an invitation and sends it. Doesn't return the token, which only the recipient of the email should know. */
export const inviteByEmail: Operation<Call, Invited> = {
  on: 'POST /organizations/invitations',
  status: 201,
  guards: [limitByAddress('user')],
  async run(ctx, { caller, body }) {
    if (!ctx.settings.organizations.enabled)
      throw authError('feature_disabled', 'Organizations are disabled');
    const self = await requirePerson(ctx, caller);
    const organizationId = body().text('organization_id');
    if (!isUuid(organizationId)) throw authError('validation_failed', 'organization_id must be a UUID');
    const email = parseEmail(body().text('email'));
    const role = body().text('role') || 'member';
    const now = ctx.clock.now();
    await ctx.limits.invitation(self.user.id, now);
    const invitation = await createInvitation(ctx, self.claims, { organizationId, email, role }, async () => {
      // Counts only invitations that the inviter may create. Otherwise, a stranger could use up the recipient's limit.
      await ctx.limits.invited(email, now);
    });
    await sendInvitation(ctx, self, { ...invitation, email });
    return { id: invitation.id, email, expires_at: invitation.expiresAt };
  },
};

interface Wanted {
  readonly organizationId: string;
  readonly email: string;
  readonly role: string;
}

/** Runs the project's function as the inviter. `permit` can still reject the invitation, which is then rolled back. */
function createInvitation(
  ctx: AuthContext,
  claims: Claims,
  { organizationId, email, role }: Wanted,
  permit: () => Promise<void>,
): Promise<Omit<Invitation, 'email'>> {
  return runAsUser(ctx, claims, async (tx) => {
    const [row] = await tx.query<{ id: string; token: string; expires_at: string }>(sql`
      select id::text, token, to_json(expires_at) #>> '{}' as expires_at
      from public.invite_to_organization(
        organization_id => ${organizationId}::uuid, email => ${email}, role => ${role})`);
    if (row === undefined) throw authError('unexpected_failure', 'No invitation was created');
    // A separate statement, because the function must also run if the inviter can't read the organization.
    const [organization] = await tx.query<{ name: string }>(
      sql`select name from public.organizations where id = ${organizationId}::uuid`,
    );
    await permit();
    const url = `${ctx.settings.organizations.joinUrl()}?token=${encodeQuery(row.token)}`;
    return { id: row.id, url, expiresAt: row.expires_at, organization: organization?.name ?? '' };
  });
}
