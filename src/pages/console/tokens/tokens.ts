/**
 * Operators' access tokens. Tokens are created and revoked in the Console or from the command line, and are used for
 * the Management API.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import { accessToken, tokenBytes } from '../../../base/shared/access-token.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { type Actor, type Audit, commandLine } from '../audit.ts';
import { isWithin, type OperatorRole } from '../core/roles.ts';
import type { OperatorRow } from '../queries.ts';

/** Thrown if a token can't be created or revoked. The message is meant for the person who runs the command. */
export class TokenError extends Error {
  override name = 'TokenError';
}

export interface CreatedToken {
  /** The token, which isn't stored. */
  readonly token: string;
  readonly operatorName: string;
  readonly role: OperatorRow['role'];
  readonly expiresAt: string | null;
}

interface NewToken {
  readonly name: string;
  /** The role to which the token is limited. Null if the token always has the current role of its operator. */
  readonly role: OperatorRole | null;
  /** Null if the token never expires. */
  readonly lifetimeSeconds: number | null;
}

/** The operator who acts in the Console, and the operator's request. */
interface By {
  readonly operator: OperatorRow;
  readonly request: { readonly id: string };
}

export interface Tokens {
  /**
   * Creates a token from the command line.
   * @throws {TokenError} if the operator doesn't exist or already has a token with this name
   */
  create(
    name: string,
    operatorName: string | undefined,
    lifetimeSeconds: number | null,
    role?: OperatorRole | null,
  ): Promise<CreatedToken>;
  /**
   * Creates a token for the signed-in operator.
   * @throws {TokenError} if the operator already has a token with this name
   */
  createFor(by: By, token: NewToken): Promise<CreatedToken>;
  /**
   * Lists tokens.
   *
   * @param operatorId the operator whose tokens are listed, or undefined for the tokens of all operators
   */
  list(operatorId?: string): Promise<TokenRow[]>;
  /**
   * Revokes a token in the Console. Returns false if the token has already been revoked or doesn't belong to
   * `operatorId`. If `operatorId` is undefined, the token of any operator can be revoked.
   */
  revokeOne(by: By, id: string, operatorId: string | undefined): Promise<boolean>;
  /** Revokes a token by its name. @throws {TokenError} if no token has this name or several tokens have it */
  revoke(name: string, operatorName: string | undefined): Promise<void>;
  /** Returns the operator to whom a token belongs. Returns undefined if the token has been revoked or never existed. */
  find(token: string): Promise<TokenUse | undefined>;
}

interface TokenDeps {
  readonly db: Queryable;
  /** Returns the operator with this name, or the first owner. @throws {Error} if no operator has this name */
  readonly operatorNamed: (name: string | undefined) => Promise<OperatorRow>;
  readonly audit: Audit;
}

const hash = (token: string): Buffer => createHash('sha256').update(token).digest();

export function createTokens({ db, operatorNamed, audit }: TokenDeps): Tokens {
  async function add(
    by: { readonly operator: Actor; readonly request?: { readonly id: string } },
    operator: OperatorRow,
    { name, role: wanted, lifetimeSeconds }: NewToken,
  ): Promise<CreatedToken> {
    const role = wanted ?? operator.role;
    if (!isWithin(role, operator.role))
      throw new TokenError(
        `${operator.name} has the role ${operator.role}, so a token can't have the role ${role}.`,
      );
    const token = accessToken(randomBytes(tokenBytes));
    const made = await insertToken(db, {
      operatorId: operator.id,
      name,
      role: wanted,
      hash: hash(token),
      lifetimeSeconds,
    });
    if (made === undefined)
      throw new TokenError(
        `The operator ${operator.name} already has a token named ${name}. Use another name, or revoke that token first.`,
      );
    await audit(by, 'token.create', name, { operator: operator.name, role, expires_at: made.expires_at });
    return { token, operatorName: operator.name, role, expiresAt: made.expires_at };
  }
  return {
    create: async (name, operatorName, lifetimeSeconds, role = null) =>
      add({ operator: commandLine }, await operatorNamed(operatorName), { name, role, lifetimeSeconds }),
    createFor: (by, token) => add(by, by.operator, token),
    list: (operatorId) => listTokens(db, operatorId),
    async revokeOne(by, id, operatorId) {
      const revoked = await deleteToken(db, id, operatorId);
      if (revoked === undefined) return false;
      await audit(by, 'token.revoke', revoked.name, { operator: revoked.operator_name });
      return true;
    },
    async revoke(name, operatorName) {
      const named = (await listTokens(db)).filter(
        (row) => row.name === name && (operatorName === undefined || row.operator_name === operatorName),
      );
      const [token, ...others] = named;
      if (token === undefined)
        throw new TokenError(
          `The token ${name} doesn't exist. "plinth operators token list" lists all tokens.`,
        );
      if (others.length > 0)
        throw new TokenError(
          `Several operators have a token named ${name}: ${named.map((row) => row.operator_name).join(', ')}. Select one of them with --operator.`,
        );
      await deleteToken(db, token.id);
      await audit({ operator: commandLine }, 'token.revoke', name, { operator: token.operator_name });
    },
    find: (token) => findToken(db, hash(token)),
  };
}

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly operator_name: string;
  readonly role: OperatorRow['role'];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly is_expired: boolean;
}

/** Returns an expression for the role `limit` or the role of the operator `o`, whichever has fewer permissions. */
export const lesserRole = (limit: Sql): Sql => sql`case
  when 'read-only' in (${limit}, o.role) then 'read-only'
  when 'developer' in (${limit}, o.role) then 'developer'
  else o.role
end`;

const effectiveRole = lesserRole(sql`t.role`);

/** Adds a token. Returns undefined if the operator already has a token with this name. */
async function insertToken(
  db: Queryable,
  token: {
    operatorId: string;
    name: string;
    role: OperatorRow['role'] | null;
    hash: Buffer;
    lifetimeSeconds: number | null;
  },
): Promise<{ id: string; expires_at: string | null } | undefined> {
  const [row] = await db.query<{ id: string; expires_at: string | null }>(sql`
    insert into _plinth.operator_tokens (operator_id, name, role, token_hash, expires_at)
    values (${token.operatorId}, ${token.name}, ${token.role}, ${token.hash},
            now() + make_interval(secs => ${token.lifetimeSeconds}::float8))
    on conflict (operator_id, name) do nothing
    returning id, expires_at`);
  return row;
}

/**
 * Lists tokens.
 *
 * @param operatorId the operator whose tokens are listed, or undefined for the tokens of all operators
 */
const listTokens = (db: Queryable, operatorId?: string): Promise<TokenRow[]> =>
  db.query(sql`
    select t.id, t.name, o.name as operator_name, ${effectiveRole} as role, t.created_at, t.expires_at,
           t.last_used_at, coalesce(t.expires_at <= now(), false) as is_expired
    from _plinth.operator_tokens t join _plinth.operators o on o.id = t.operator_id
    where ${operatorId ?? null}::uuid is null or o.id = ${operatorId ?? null}::uuid
    order by o.name, t.name`);

/** Deletes a token. Returns undefined if the token has already been deleted or doesn't belong to `operatorId`. */
async function deleteToken(
  db: Queryable,
  id: string,
  operatorId?: string,
): Promise<{ name: string; operator_name: string } | undefined> {
  const [row] = await db.query<{ name: string; operator_name: string }>(sql`
    delete from _plinth.operator_tokens t using _plinth.operators o
    where t.id = ${id} and o.id = t.operator_id
      and (${operatorId ?? null}::uuid is null or o.id = ${operatorId ?? null}::uuid)
    returning t.name, o.name as operator_name`);
  return row;
}

interface TokenUse extends OperatorRow {
  readonly token_name: string;
  readonly is_expired: boolean;
}

/** Finds a token. Also updates the time at which the token was last used, at most once per minute. */
async function findToken(db: Queryable, hash: Buffer): Promise<TokenUse | undefined> {
  const [row] = await db.query<TokenUse>(sql`
    with used as (
      update _plinth.operator_tokens set last_used_at = now()
      where token_hash = ${hash} and (expires_at is null or expires_at > now())
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))
    select o.id, o.name, ${effectiveRole} as role, t.name as token_name, coalesce(t.expires_at <= now(), false) as is_expired
    from _plinth.operator_tokens t join _plinth.operators o on o.id = t.operator_id
    where t.token_hash = ${hash}`);
  return row;
}
