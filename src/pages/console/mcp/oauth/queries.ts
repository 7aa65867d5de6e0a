import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../../../platform/database/types.ts';
import type { OperatorRole } from '../../core/roles.ts';
import type { OperatorRow } from '../../queries.ts';
import { lesserRole } from '../../tokens/tokens.ts';

export interface NewGrant {
  readonly operatorId: string;
  readonly clientName: string;
  readonly clientHash: Buffer;
  readonly destination: string;
  readonly role: OperatorRole;
  readonly isReadOnly: boolean;
  readonly lifetimeSeconds: number;
  readonly codeHash: Buffer;
  readonly codeChallenge: string;
  readonly redirectUri: string;
  readonly codeLifetimeSeconds: number;
}

/** Adds a grant. Also deletes expired grants, and grants whose code was never used. */
export async function insertGrant(db: Queryable, grant: NewGrant): Promise<{ expires_at: string }> {
  const [row] = await db.query<{ expires_at: string }>(sql`
    with expired as (
      delete from _plinth.agent_grants
      where expires_at < now() or (code_used_at is null and code_expires_at < now()))
    insert into _plinth.agent_grants (operator_id, client_name, client_hash, destination, role, is_read_only,
      expires_at, code_hash, code_challenge, redirect_uri, code_expires_at)
    values (${grant.operatorId}, ${grant.clientName}, ${grant.clientHash}, ${grant.destination}, ${grant.role},
      ${grant.isReadOnly}, now() + make_interval(secs => ${grant.lifetimeSeconds}), ${grant.codeHash},
      ${grant.codeChallenge}, ${grant.redirectUri}, now() + make_interval(secs => ${grant.codeLifetimeSeconds}))
    returning expires_at`);
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

/** The grant of a code or token, for the audit log. */
export interface GrantOwner {
  readonly grant_id: string;
  readonly client_name: string;
  readonly operator_id: string;
  readonly operator_name: string;
}

export interface CodeRow extends GrantOwner {
  readonly redirect_uri: string;
  readonly code_challenge: string;
  readonly is_used: boolean;
}

const owner = sql`g.id as grant_id, g.client_name, o.id as operator_id, o.name as operator_name`;

/** Finds a code of the client that hasn't expired. */
export async function findCode(
  db: Queryable,
  codeHash: Buffer,
  clientHash: Buffer,
): Promise<CodeRow | undefined> {
  const [row] = await db.query<CodeRow>(sql`
    select ${owner}, g.redirect_uri, g.code_challenge, g.code_used_at is not null as is_used
    from _plinth.agent_grants g join _plinth.operators o on o.id = g.operator_id
    where g.code_hash = ${codeHash} and g.client_hash = ${clientHash} and g.code_expires_at > now()
      and g.expires_at > now()`);
  return row;
}

export interface Issued {
  readonly is_read_only: boolean;
  /** The access token's lifetime. */
  readonly access_seconds: number;
}

interface NewTokens {
  readonly hashes: { readonly access: Buffer; readonly refresh: Buffer };
  readonly accessSeconds: number;
}

/** Adds the tokens for the grants in `from`, which don't outlive their grant, and returns the grants. */
const addTokens = (from: Sql, { hashes, accessSeconds }: NewTokens): Sql => sql`
  added as (
    insert into _plinth.agent_tokens (token_hash, grant_id, kind, expires_at)
    select ${hashes.access}::bytea, id, 'access',
           least(expires_at, now() + make_interval(secs => ${accessSeconds})) from ${from}
    union all
    select ${hashes.refresh}::bytea, id, 'refresh', expires_at from ${from})
  select is_read_only,
         floor(least(extract(epoch from expires_at - now()), ${accessSeconds}))::int as access_seconds
  from ${from}`;

/** Marks a code as used and adds the tokens. Returns undefined if the code has already been used. */
export async function takeCode(
  db: Queryable,
  { codeHash, ...tokens }: NewTokens & { readonly codeHash: Buffer },
): Promise<Issued | undefined> {
  const [row] = await db.query<Issued>(sql`
    with taken as (
      update _plinth.agent_grants set code_used_at = now()
      where code_hash = ${codeHash} and code_used_at is null and code_expires_at > now() and expires_at > now()
      returning id, expires_at, is_read_only),
    ${addTokens(sql`taken`, tokens)}`);
  return row;
}

/**
 * Replaces a refresh token and deletes the grant's expired tokens. Returns undefined if the token is unknown, belongs to
 * another client, or was replaced more than `reuseSeconds` ago.
 */
export async function replaceRefreshToken(
  db: Queryable,
  input: NewTokens & {
    readonly tokenHash: Buffer;
    readonly clientHash: Buffer;
    readonly reuseSeconds: number;
    readonly retentionSeconds: number;
  },
): Promise<Issued | undefined> {
  const { tokenHash, clientHash, reuseSeconds, retentionSeconds, ...tokens } = input;
  const [row] = await db.query<Issued>(sql`
    with replaced as (
      update _plinth.agent_tokens t
      set replaced_at = coalesce(t.replaced_at, now()),
          expires_at = least(t.expires_at, now() + make_interval(secs => ${retentionSeconds}))
      from _plinth.agent_grants g
      where t.token_hash = ${tokenHash} and t.kind = 'refresh' and t.expires_at > now()
        and (t.replaced_at is null or t.replaced_at > now() - make_interval(secs => ${reuseSeconds}))
        and g.id = t.grant_id and g.client_hash = ${clientHash} and g.expires_at > now()
      returning g.id, g.expires_at, g.is_read_only),
    expired as (
      delete from _plinth.agent_tokens t using replaced
      where t.grant_id = replaced.id and t.expires_at <= now()),
    ${addTokens(sql`replaced`, tokens)}`);
  return row;
}

/** Finds a token of a client. */
export async function findToken(
  db: Queryable,
  tokenHash: Buffer,
  clientHash: Buffer,
): Promise<(GrantOwner & { kind: 'access' | 'refresh'; is_replaced: boolean }) | undefined> {
  const [row] = await db.query<GrantOwner & { kind: 'access' | 'refresh'; is_replaced: boolean }>(sql`
    select ${owner}, t.kind, t.replaced_at is not null as is_replaced
    from _plinth.agent_tokens t join _plinth.agent_grants g on g.id = t.grant_id
      join _plinth.operators o on o.id = g.operator_id
    where t.token_hash = ${tokenHash} and g.client_hash = ${clientHash}`);
  return row;
}

export async function deleteAccessToken(db: Queryable, tokenHash: Buffer): Promise<void> {
  await db.query(sql`delete from _plinth.agent_tokens where token_hash = ${tokenHash} and kind = 'access'`);
}

export interface GrantUse extends OperatorRow {
  readonly client_name: string;
  readonly is_read_only: boolean;
}

/** Finds the grant of a valid access token. Also updates the time of the grant's last use, at most once per minute. */
export async function findGrantOf(db: Queryable, tokenHash: Buffer): Promise<GrantUse | undefined> {
  const [row] = await db.query<GrantUse>(sql`
    with found as (
      select g.id, g.operator_id, g.client_name, g.is_read_only, g.role
      from _plinth.agent_tokens t join _plinth.agent_grants g on g.id = t.grant_id
      where t.token_hash = ${tokenHash} and t.kind = 'access' and t.expires_at > now() and g.expires_at > now()),
    used as (
      update _plinth.agent_grants g set last_used_at = now() from found
      where g.id = found.id and (g.last_used_at is null or g.last_used_at < now() - interval '1 minute'))
    select o.id, o.name, ${lesserRole(sql`found.role`)} as role, found.client_name, found.is_read_only
    from found join _plinth.operators o on o.id = found.operator_id`);
  return row;
}

export interface GrantRow {
  readonly id: string;
  readonly client_name: string;
  readonly destination: string;
  readonly operator_name: string;
  readonly role: OperatorRole;
  readonly is_read_only: boolean;
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

/** Lists the grants whose clients have tokens. */
export const listGrants = (db: Queryable, operatorId: string | undefined): Promise<GrantRow[]> =>
  db.query(sql`
    select g.id, g.client_name, g.destination, o.name as operator_name, ${lesserRole(sql`g.role`)} as role,
           g.is_read_only, g.created_at, g.expires_at, g.last_used_at
    from _plinth.agent_grants g join _plinth.operators o on o.id = g.operator_id
    where g.code_used_at is not null and g.expires_at > now()
      and (${operatorId ?? null}::uuid is null or o.id = ${operatorId ?? null}::uuid)
    order by o.name, g.client_name, g.created_at`);

/** Deletes a grant with its tokens. Returns undefined if it doesn't exist or doesn't belong to `operatorId`. */
export async function deleteGrant(
  db: Queryable,
  id: string,
  operatorId?: string,
): Promise<{ client_name: string; operator_name: string } | undefined> {
  const [row] = await db.query<{ client_name: string; operator_name: string }>(sql`
    delete from _plinth.agent_grants g using _plinth.operators o
    where g.id = ${id} and o.id = g.operator_id
      and (${operatorId ?? null}::uuid is null or o.id = ${operatorId ?? null}::uuid)
    returning g.client_name, o.name as operator_name`);
  return row;
}
