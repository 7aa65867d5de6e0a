/** The history of an organization's domains, single sign-on and SCIM, which its managers can read. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';

export type OrganizationEventKind =
  | 'domain_added'
  | 'domain_verified'
  | 'domain_lost'
  | 'domain_removed'
  | 'domain_changed'
  | 'setup_link_created'
  | 'setup_link_revoked'
  | 'connection_tested'
  | 'connection_activated'
  | 'connection_changed'
  | 'connection_removed'
  | 'scim_token_created'
  | 'scim_token_revoked'
  | 'member_added'
  | 'member_removed'
  | 'role_changed'
  | 'emergency_sign_in';

export interface OrganizationEvent {
  readonly organizationId: string;
  readonly kind: OrganizationEventKind;
  readonly actor: 'user' | 'setup' | 'scim' | 'server';
  readonly userId?: string;
  readonly details?: JsonObject;
}

export async function recordOrganizationEvent(
  ctx: AuthContext,
  db: Queryable,
  { organizationId, kind, actor, userId, details = {} }: OrganizationEvent,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.organization_events (organization_id, kind, actor, user_id, details, created_at)
    values (${organizationId}, ${kind}, ${actor}, ${userId ?? null}, ${details}, ${fromMs(ctx.clock.now())})`);
}

export interface OrganizationEventRow {
  readonly kind: OrganizationEventKind;
  readonly actor: OrganizationEvent['actor'];
  readonly user_id: string | null;
  /** The user's confirmed address, if it belongs to a domain that the organization holds now. */
  readonly email: string | null;
  readonly details: JsonObject;
  readonly created_at: string;
}

const shownEvents = 50;

/**
 * Returns the latest changes, newest first. Other addresses aren't returned, because former members may have changed theirs
 * since they left.
 */
export const listOrganizationEvents = (
  ctx: AuthContext,
  organizationId: string,
): Promise<OrganizationEventRow[]> =>
  ctx.pool.query<OrganizationEventRow>(sql`
    select e.kind, e.actor, e.user_id::text, e.details, to_json(e.created_at) #>> '{}' as created_at,
      (
        select u.email from auth.users u
        join _plinth.organization_domains d on d.domain = lower(substring(u.email from '[^@]*$'))
        where u.id = e.user_id and u.email_confirmed_at is not null
          and d.organization_id = e.organization_id and d.verified_at is not null
      ) as email
    from _plinth.organization_events e
    where e.organization_id = ${organizationId} order by e.id desc limit ${shownEvents}`);
