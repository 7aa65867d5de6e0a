/** Checks verified domains again from time to time, and forgets organizations that don't exist anymore. */
import { sql } from '../../../../base/kernel/sql.ts';
import { fromMs } from '../../common/times.ts';
import type { AuthContext } from '../../context.ts';
import { hasOrganizationSso } from '../availability.ts';
import { nameOrganizations } from '../members.ts';
import { checkDomain, isLost, releaseDomain } from './domains.ts';
import { findDomainRow, listDueDomains } from './queries.ts';

const recheckEveryMs = 86_400_000;
/** The maximum number of domains that one round checks, so that a slow DNS doesn't delay other tasks for long. */
const domainsPerRound = 20;
const claimLifetimeMs = 30 * 86_400_000;
const eventLifetimeMs = 365 * 86_400_000;
const testLifetimeMs = 86_400_000;

export async function recheckDomains(ctx: AuthContext, isStopping: () => boolean): Promise<void> {
  if (!hasOrganizationSso(ctx)) return;
  await forgetOrganizations(ctx);
  const now = ctx.clock.now();
  for (const row of await listDueDomains(ctx.pool, fromMs(now - recheckEveryMs), domainsPerRound)) {
    if (isStopping()) return;
    const { result } = await checkDomain(ctx, row, { actor: 'server' });
    const checked = await findDomainRow(ctx.pool, row.organization_id, row.id);
    // The record may be back if the DNS doesn't answer.
    if (result === 'missing' && checked !== undefined && isLost(checked, now))
      await releaseDomain(ctx, checked);
  }
  await ctx.pool.query(sql`
    delete from _plinth.organization_domains where verified_at is null and created_at < ${fromMs(now - claimLifetimeMs)}`);
  await ctx.pool.query(
    sql`delete from _plinth.organization_events where created_at < ${fromMs(now - eventLifetimeMs)}`,
  );
  await ctx.pool.query(
    sql`delete from _plinth.organization_sso_tests where created_at < ${fromMs(now - testLifetimeMs)}`,
  );
  await ctx.pool.query(
    sql`delete from _plinth.organization_setup_links where expires_at < ${fromMs(now - claimLifetimeMs)}`,
  );
  await ctx.pool.query(
    sql`delete from _plinth.scim_users u where not exists (select from auth.users where id = u.user_id)`,
  );
}

/** Deletes the rows of organizations that the project has deleted, so that others can verify their domains. */
async function forgetOrganizations(ctx: AuthContext): Promise<void> {
  const rows = await ctx.pool.query<{ id: string }>(sql`
    select organization_id::text as id from _plinth.organization_domains
    union select organization_id::text from _plinth.organization_connections
    union select organization_id::text from _plinth.scim_tokens
    union select organization_id::text from _plinth.organization_setup_links
    union select organization_id::text from _plinth.scim_users
    union select organization_id::text from _plinth.scim_groups`);
  const ids = rows.map(({ id }) => id);
  const known = await nameOrganizations(ctx, ids);
  for (const id of ids) if (!known.has(id)) await forgetOrganization(ctx, id);
}

async function forgetOrganization(ctx: AuthContext, id: string): Promise<void> {
  await ctx.pool.transaction(async (tx) => {
    await tx.query(sql`
      delete from auth.sso_providers p using _plinth.organization_connections c
      where c.organization_id = ${id} and p.id = c.id`);
    for (const table of [
      sql`_plinth.organization_connections`,
      sql`_plinth.organization_domains`,
      sql`_plinth.organization_setup_links`,
      sql`_plinth.scim_tokens`,
      sql`_plinth.scim_users`,
      sql`_plinth.scim_groups`,
      sql`_plinth.organization_events`,
    ])
      await tx.query(sql`delete from ${table} where organization_id = ${id}`);
  });
}
