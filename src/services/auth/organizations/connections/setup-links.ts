/** Links with which an IT administrator, who needs no account, sets up single sign-on and SCIM of an organization. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from '../../../../base/kernel/sql.ts';
import { fromMs } from '../../common/times.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import { hasOrganizationSso } from '../availability.ts';
import { findOrganization } from '../members.ts';

export const setupLinkLifetimeMs = 7 * 86_400_000;
const maxLinks = 10;
const tokenFormat = /^[A-Za-z0-9_-]{43}$/;

export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface SetupLinkRow {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly opened_at: string | null;
}

export const listSetupLinks = (ctx: AuthContext, organizationId: string): Promise<SetupLinkRow[]> =>
  ctx.pool.query<SetupLinkRow>(sql`
    select id::text, to_json(created_at) #>> '{}' as created_at, to_json(expires_at) #>> '{}' as expires_at,
      to_json(opened_at) #>> '{}' as opened_at
    from _plinth.organization_setup_links
    where organization_id = ${organizationId} and expires_at > ${fromMs(ctx.clock.now())} order by created_at desc`);

/** Creates a link. The URL is returned only now. @throws {AuthError} validation_failed */
export async function createSetupLink(
  ctx: AuthContext,
  organizationId: string,
  userId: string,
): Promise<{ readonly id: string; readonly url: string; readonly expires_at: string }> {
  if ((await listSetupLinks(ctx, organizationId)).length >= maxLinks)
    throw authError('validation_failed', `An organization has at most ${maxLinks} open setup links`);
  const token = randomBytes(32).toString('base64url');
  const now = ctx.clock.now();
  const expiresAt = new Date(now + setupLinkLifetimeMs).toISOString();
  // The ID of the connection is part of the redirect URL, which is needed before there are any settings.
  await ctx.pool.query(sql`
    insert into _plinth.organization_connections (organization_id) values (${organizationId}) on conflict do nothing`);
  const [row] = await ctx.pool.query<{ id: string }>(sql`
    insert into _plinth.organization_setup_links (organization_id, hash, created_by, created_at, expires_at)
    values (${organizationId}, ${hashOf(token)}, ${userId}, ${fromMs(now)}, ${expiresAt}) returning id::text`);
  const url = `${ctx.settings.accountUrl()}/organizations/setup?token=${token}`;
  return { id: row?.id ?? '', url, expires_at: expiresAt };
}

export async function revokeSetupLink(
  ctx: AuthContext,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const rows = await ctx.pool.query(sql`
    delete from _plinth.organization_setup_links where organization_id = ${organizationId} and id = ${id} returning id`);
  return rows.length > 0;
}

export interface SetupHolder {
  readonly linkId: string;
  readonly organizationId: string;
  readonly organization: string;
  readonly expiresAt: string;
}

/** Returns the organization of a link. @throws {AuthError} otp_expired if the link is unknown, expired or revoked */
export async function requireSetupLink(ctx: AuthContext, token: string): Promise<SetupHolder> {
  if (!hasOrganizationSso(ctx)) throw authError('feature_disabled', 'Organizations are disabled');
  const now = fromMs(ctx.clock.now());
  const [row] = tokenFormat.test(token)
    ? await ctx.pool.query<{ id: string; organization_id: string; expires_at: string }>(sql`
        update _plinth.organization_setup_links set opened_at = coalesce(opened_at, ${now})
        where hash = ${hashOf(token)} and expires_at > ${now}
        returning id::text, organization_id::text, to_json(expires_at) #>> '{}' as expires_at`)
    : [];
  const organization = row === undefined ? undefined : await findOrganization(ctx, row.organization_id);
  if (row === undefined || organization === undefined) throw authError('otp_expired');
  const { id: linkId, organization_id: organizationId, expires_at: expiresAt } = row;
  return { linkId, organizationId, organization, expiresAt };
}
