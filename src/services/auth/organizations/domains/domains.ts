/** Adds, checks and removes the domains of an organization. */
import { randomBytes } from 'node:crypto';
import { toMs } from '../../common/times.ts';
import { isUuid } from '../../common/uuid.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import { findDomain as findSsoDomain } from '../../sso/queries.ts';
import { recordOrganizationEvent } from '../history.ts';
import { findOrganization } from '../members.ts';
import { parseDomain } from './public-mail.ts';
import {
  type DomainRow,
  deleteDomainRow,
  findDomainRow,
  findHolder,
  insertDomainRow,
  type JoinPolicy,
  listDomains,
  setChecked,
  setJoinPolicy,
  setMissing,
  setReleased,
  setVerified,
  syncConnectionDomains,
} from './queries.ts';
import { checkRecord, recordName, recordValue, type TxtResult } from './txt.ts';

const maxDomains = 50;

/** How long the record of a verified domain can be missing before the domain is released. */
export const graceMs = 7 * 86_400_000;

export interface Actor {
  readonly actor: 'user' | 'setup' | 'server';
  readonly userId?: string;
}

export interface ShownDomain {
  readonly id: string;
  readonly domain: string;
  readonly verified: boolean;
  /** The time since which the record of a verified domain is missing. */
  readonly missing_since: string | null;
  readonly record_name: string;
  readonly record_value: string;
  readonly join_policy: JoinPolicy;
  readonly join_role: string;
}

export const showDomain = (row: DomainRow): ShownDomain => ({
  id: row.id,
  domain: row.domain,
  verified: row.verified_at !== null,
  missing_since: row.missing_since,
  record_name: recordName(row.domain),
  record_value: recordValue(row.token),
  join_policy: row.join_policy,
  join_role: row.join_role,
});

/** @throws {AuthError} validation_failed, conflict */
export async function addDomain(
  ctx: AuthContext,
  organizationId: string,
  typed: string,
  by: Actor,
): Promise<ShownDomain> {
  const parsed = parseDomain(typed);
  if (!parsed.ok) {
    throw authError(
      'validation_failed',
      parsed.fault === 'public'
        ? 'This domain belongs to a provider of public mailboxes'
        : 'This is not a domain, such as example.com',
    );
  }
  const { domain } = parsed;
  const known = await listDomains(ctx.pool, organizationId);
  if (known.length >= maxDomains)
    throw authError('validation_failed', `An organization has at most ${maxDomains} domains`);
  // 160 random bits, so that a record can't be prepared for another organization.
  const token = randomBytes(20).toString('hex');
  await ctx.pool.transaction(async (tx) => {
    const isNew = await insertDomainRow(tx, { organizationId, domain, token }, ctx.clock.now());
    if (!isNew) return;
    await recordOrganizationEvent(ctx, tx, {
      organizationId,
      kind: 'domain_added',
      ...by,
      details: { domain },
    });
  });
  const row = (await listDomains(ctx.pool, organizationId)).find((each) => each.domain === domain);
  if (row === undefined) throw authError('conflict');
  return showDomain(row);
}

export async function requireDomain(
  ctx: AuthContext,
  organizationId: string,
  id: string,
): Promise<DomainRow> {
  const row = isUuid(id) ? await findDomainRow(ctx.pool, organizationId, id) : undefined;
  if (row === undefined) throw authError('sso_provider_not_found', 'The organization has no such domain');
  return row;
}

export interface CheckedDomain extends ShownDomain {
  readonly result: TxtResult;
}

/**
 * Looks up the record of a domain. If another organization holds the domain, its record is looked up as well, and it
 * keeps the domain unless the record is missing.
 * @throws {AuthError} conflict
 */
export async function checkDomain(ctx: AuthContext, row: DomainRow, by: Actor): Promise<CheckedDomain> {
  const { domain, organization_id: organizationId } = row;
  const result = await checkRecord(ctx.resolveTxt, domain, row.token);
  if (result === 'found' && row.verified_at === null) await verify(ctx, row, by);
  else {
    const set = { found: setVerified, missing: setMissing, unknown: setChecked }[result];
    await set(ctx.pool, row.id, ctx.clock.now());
  }
  const fresh = (await findDomainRow(ctx.pool, organizationId, row.id)) ?? row;
  return { ...showDomain(fresh), result };
}

async function verify(ctx: AuthContext, row: DomainRow, by: Actor): Promise<void> {
  const { domain, organization_id: organizationId } = row;
  const holder = await findHolder(ctx.pool, domain);
  if (holder !== undefined) {
    const isGone =
      (await findOrganization(ctx, holder.organization_id)) === undefined ||
      (await checkRecord(ctx.resolveTxt, domain, holder.token)) === 'missing';
    if (!isGone) throw authError('conflict', 'Another organization has verified this domain');
    await releaseDomain(ctx, holder);
  }
  const project = await findSsoDomain(ctx, ctx.pool, domain);
  if (project !== undefined && project.organizationId === undefined)
    throw authError('conflict', 'The project has a connection for this domain');
  await ctx.pool.transaction(async (tx) => {
    await setVerified(tx, row.id, ctx.clock.now());
    await syncConnectionDomains(tx, organizationId, ctx.clock.now());
    await recordOrganizationEvent(ctx, tx, {
      organizationId,
      kind: 'domain_verified',
      ...by,
      details: { domain },
    });
  });
}

/** Takes a verified domain from its organization. */
export async function releaseDomain(ctx: AuthContext, row: DomainRow): Promise<void> {
  const { domain, organization_id: organizationId } = row;
  await ctx.pool.transaction(async (tx) => {
    await setReleased(tx, row.id);
    await syncConnectionDomains(tx, organizationId, ctx.clock.now());
    const event = { organizationId, kind: 'domain_lost', actor: 'server', details: { domain } } as const;
    await recordOrganizationEvent(ctx, tx, event);
  });
}

/** Whether the record of a verified domain has been missing for too long. */
export const isLost = (row: Pick<DomainRow, 'missing_since'>, nowMs: number): boolean =>
  row.missing_since !== null && nowMs - toMs(row.missing_since) >= graceMs;

export async function removeDomain(ctx: AuthContext, row: DomainRow, by: Actor): Promise<void> {
  const { domain, organization_id: organizationId } = row;
  await ctx.pool.transaction(async (tx) => {
    await deleteDomainRow(tx, row.id);
    await syncConnectionDomains(tx, organizationId, ctx.clock.now());
    await recordOrganizationEvent(ctx, tx, {
      organizationId,
      kind: 'domain_removed',
      ...by,
      details: { domain },
    });
  });
}

export async function changeJoining(
  ctx: AuthContext,
  row: DomainRow,
  change: { readonly policy: JoinPolicy; readonly role: string },
  by: Actor,
): Promise<ShownDomain> {
  const { domain, organization_id: organizationId } = row;
  await ctx.pool.transaction(async (tx) => {
    await setJoinPolicy(tx, row.id, change);
    const details = { domain, join_policy: change.policy, join_role: change.role };
    await recordOrganizationEvent(ctx, tx, { organizationId, kind: 'domain_changed', ...by, details });
  });
  return showDomain({ ...row, join_policy: change.policy, join_role: change.role });
}
