/**
 * Runs statements of the project's organizations with the caller's own permissions: with the role and claims of the
 * access token, as a request to the REST service would run.
 */

import type { Transaction } from '../../../platform/database/types.ts';
import type { Claims } from '../../../platform/keys/types.ts';
import type { AuthContext } from '../context.ts';

const timeoutMs = 5000;

export function runAsUser<T>(
  ctx: AuthContext,
  claims: Claims,
  work: (tx: Transaction) => Promise<T>,
  options: { readonly readOnly?: boolean } = {},
): Promise<T> {
  const settings = [
    ['statement_timeout', String(timeoutMs)],
    ['role', typeof claims.role === 'string' ? claims.role : 'authenticated'],
    ['request.jwt.claims', JSON.stringify(claims)],
  ] as const;
  return ctx.apiPool.transaction(work, { ...options, settings });
}
