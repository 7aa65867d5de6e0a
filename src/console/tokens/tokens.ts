/** Access tokens of operators: created and revoked on the command line, and accepted by the Management API. */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../database/types.ts';
import { accessToken, tokenBytes } from '../../shared/access-token.ts';
import { type Audit, commandLine } from '../audit.ts';
import type { OperatorRow } from '../queries.ts';
import * as queries from './queries.ts';

export type { TokenRow } from './queries.ts';

/** A token that can't be created or revoked. The message is for the person who runs the command. */
export class TokenError extends Error {
  override name = 'TokenError';
}

export interface CreatedToken {
  /** The token itself, which isn't stored. */
  readonly token: string;
  readonly operatorName: string;
  readonly role: OperatorRow['role'];
  readonly expiresAt: string | null;
}

export interface Tokens {
  /**
   * Creates a token.
   * @param lifetimeSeconds null if the token doesn't expire
   * @throws {TokenError} if the operator doesn't exist or already has a token with this name
   */
  create(
    name: string,
    operatorName: string | undefined,
    lifetimeSeconds: number | null,
  ): Promise<CreatedToken>;
  list(): Promise<queries.TokenRow[]>;
  /** Revokes a token by its name. @throws {TokenError} if the token doesn't exist, or if there are several */
  revoke(name: string, operatorName: string | undefined): Promise<void>;
  /** Returns the operator that a token belongs to. Returns undefined if the token was revoked or never existed. */
  find(token: string): Promise<queries.TokenUse | undefined>;
}

export interface TokenDeps {
  readonly db: Queryable;
  /** Returns the operator with this name, or the first owner. @throws if the operator doesn't exist */
  readonly operatorNamed: (name: string | undefined) => Promise<OperatorRow>;
  readonly audit: Audit;
}

const hash = (token: string): Buffer => createHash('sha256').update(token).digest();

export function createTokens({ db, operatorNamed, audit }: TokenDeps): Tokens {
  return {
    async create(name, operatorName, lifetimeSeconds) {
      const operator = await operatorNamed(operatorName);
      const token = accessToken(randomBytes(tokenBytes));
      const made = await queries.insertToken(db, {
        operatorId: operator.id,
        name,
        hash: hash(token),
        lifetimeSeconds,
      });
      if (made === undefined)
        throw new TokenError(
          `The operator ${operator.name} already has a token named ${name}. Use another name, or revoke that token first.`,
        );
      await audit({ operator: commandLine }, 'token.create', name, {
        operator: operator.name,
        expires_at: made.expires_at,
      });
      return { token, operatorName: operator.name, role: operator.role, expiresAt: made.expires_at };
    },
    list: () => queries.listTokens(db),
    async revoke(name, operatorName) {
      const named = (await queries.listTokens(db)).filter(
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
      await queries.deleteToken(db, token.id);
      await audit({ operator: commandLine }, 'token.revoke', name, { operator: token.operator_name });
    },
    find: (token) => queries.findToken(db, hash(token)),
  };
}
