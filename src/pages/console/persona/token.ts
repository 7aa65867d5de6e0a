/** Creates short-lived access tokens, which are needed to act as a persona outside the database. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Keys, Claims as TokenClaims } from '../../../platform/keys/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from './act.ts';
import type { PersonaToken } from './contract.ts';

export interface TokenTerms {
  readonly nowMs: number;
  readonly lifetimeSeconds: number;
  /** Additional claims. */
  readonly extra?: TokenClaims;
}

/**
 * Creates a token that a browser or program can use to act as the persona.
 * @throws {ConsoleError} bad_request if the persona is the operator, who has no token, or if the database role bypasses
 * row-level security or doesn't exist
 */
export async function mintToken(
  db: Queryable,
  keys: { sign(claims: TokenClaims): string },
  identity: Identity,
  { nowMs, lifetimeSeconds, extra = {} }: TokenTerms,
): Promise<PersonaToken> {
  if (identity.claims === undefined)
    throw new ConsoleError('bad_request', {
      message: "as: operators don't have a token. Choose a user or Anonymous under “View as”.",
    });
  if (!(await isBoundByPolicies(db, identity.role)))
    throw new ConsoleError('bad_request', {
      message: `as: the role ${identity.role} doesn't exist or bypasses row-level security.`,
    });
  const iat = Math.floor(nowMs / 1000);
  const exp = iat + lifetimeSeconds;
  return { token: keys.sign({ ...identity.claims, ...extra, iat, exp }), expiresAt: exp * 1000 };
}

/**
 * Returns a token of service_role for requests that operators cause. The project's SQL can read a request's headers
 * (`request.headers`), so these requests must not contain the service_role key, which doesn't expire for years.
 */
export const serviceToken = (keys: Pick<Keys, 'temporaryToken'>): string =>
  keys.temporaryToken('service_role', 60);

async function isBoundByPolicies(db: Queryable, role: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from pg_roles where rolname = ${role} and not rolbypassrls and not rolsuper`,
  );
  return rows.length > 0;
}
