/** The tokens with which identity providers call SCIM. Only their hashes are stored. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from '../../../../base/kernel/sql.ts';
import { fromMs } from '../../common/times.ts';
import { isUuid } from '../../common/uuid.ts';
import type { AuthContext } from '../../context.ts';
import { authError } from '../../errors.ts';
import type { Actor } from '../domains/domains.ts';
import { recordOrganizationEvent } from '../history.ts';

/** Two tokens, so that a token can be replaced without an interruption. */
const maxTokens = 2;
const tokenPrefix = 'plinth_scim_';
const tokenFormat = /^plinth_scim_[A-Za-z0-9_-]{43}$/;
/** How often the time of the last use is written. */
const noteEveryMs = 60_000;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface ScimTokenRow {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export const listScimTokens = (ctx: AuthContext, organizationId: string): Promise<ScimTokenRow[]> =>
  ctx.pool.query<ScimTokenRow>(sql`
    select id::text, to_json(created_at) #>> '{}' as created_at, to_json(last_used_at) #>> '{}' as last_used_at
    from _plinth.scim_tokens where organization_id = ${organizationId} order by created_at`);

/** Creates a token, which is returned only now. @throws {AuthError} validation_failed */
export async function createScimToken(ctx: AuthContext, organizationId: string, by: Actor): Promise<string> {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
  await ctx.pool.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`scim ${organizationId}`}, 0))`);
    const known = await tx.query(
      sql`select from _plinth.scim_tokens where organization_id = ${organizationId}`,
    );
    if (known.length >= maxTokens)
      throw authError('validation_failed', `Revoke a token first. An organization has at most ${maxTokens}`);
    await tx.query(sql`
      insert into _plinth.scim_tokens (organization_id, hash, created_at)
      values (${organizationId}, ${hashOf(token)}, ${fromMs(ctx.clock.now())})`);
    await recordOrganizationEvent(ctx, tx, { organizationId, kind: 'scim_token_created', ...by });
  });
  return token;
}

export async function revokeScimToken(
  ctx: AuthContext,
  organizationId: string,
  id: string,
  by: Actor,
): Promise<void> {
  if (!isUuid(id)) return;
  const rows = await ctx.pool.query(
    sql`delete from _plinth.scim_tokens where organization_id = ${organizationId} and id = ${id} returning id`,
  );
  if (rows.length > 0)
    await recordOrganizationEvent(ctx, ctx.pool, { organizationId, kind: 'scim_token_revoked', ...by });
}

/** Whether the token belongs to the organization. */
export async function isScimToken(ctx: AuthContext, organizationId: string, token: string): Promise<boolean> {
  if (!isUuid(organizationId) || !tokenFormat.test(token)) return false;
  const [row] = await ctx.pool.query<{ id: string; last_used_ms: number | null }>(sql`
    select id::text, (extract(epoch from last_used_at) * 1000)::float8 as last_used_ms
    from _plinth.scim_tokens where organization_id = ${organizationId} and hash = ${hashOf(token)}`);
  if (row === undefined) return false;
  const now = ctx.clock.now();
  if (row.last_used_ms === null || now - row.last_used_ms > noteEveryMs)
    await ctx.pool.query(
      sql`update _plinth.scim_tokens set last_used_at = ${fromMs(now)} where id = ${row.id}`,
    );
  return true;
}
