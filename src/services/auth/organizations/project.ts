/** Runs statements on the project's organizations, which the project may have removed or changed. */
import { isPostgresError } from '../../../base/shared/errors.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Claims } from '../../../platform/keys/types.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { runAsUser } from './as-user.ts';

/** The SQLSTATEs for a missing schema, table, function or column. The project may have removed or changed them. */
const missing: ReadonlySet<string> = new Set(['3F000', '42P01', '42883', '42703']);

/** The SQLSTATE for an ID that isn't a UUID. No row has such an ID. */
const invalidText = '22P02';

/** Runs statements with these claims. @throws {AuthError} feature_disabled, validation_failed */
export async function inProject<T>(
  ctx: AuthContext,
  claims: Claims,
  work: (tx: Transaction) => Promise<T>,
  options?: { readonly readOnly: true },
): Promise<T> {
  if (!ctx.settings.organizations.enabled) throw authError('feature_disabled', 'Organizations are disabled');
  try {
    return await runAsUser(ctx, claims, work, options);
  } catch (error) {
    if (!isPostgresError(error)) throw error;
    if (error.code === invalidText) throw authError('validation_failed', undefined, { cause: error });
    if (!missing.has(error.code)) throw error;
    ctx.log.warn(
      { error },
      'the project has no organizations, or changed them. Run "plinth organizations init", or turn [account] organizations off',
    );
    throw authError('feature_disabled', 'The project has no organizations', { cause: error });
  }
}

/**
 * Runs statements with the role `service_role`, as a server of the project with the secret key. Triggers and functions
 * of the project therefore never run as a superuser.
 */
export const asService = <T>(
  ctx: AuthContext,
  work: (tx: Transaction) => Promise<T>,
  options?: { readonly readOnly: true },
): Promise<T> => inProject(ctx, { role: 'service_role' }, work, options);
