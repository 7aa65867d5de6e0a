/** Deletes what Plinth stores about a user outside the schema `auth`. */
import type { Transaction } from '../../../platform/database/types.ts';
import type { AuthContext } from '../context.ts';
import { deleteRecoveryCodes, deleteRemoval } from '../factors/own-queries.ts';
import { forgetScimUser } from '../organizations/scim/queries.ts';
import { deleteSecurityData } from '../security-events/queries.ts';
import { deleteUserKeys } from '../user-keys/forget.ts';
import { deleteSentEvents } from '../webhooks/forget.ts';

/**
 * Deletes a user's rows in the schema `_plinth`. Call this function in the transaction that deletes the user or the
 * user's personal data, because no foreign key deletes these rows. `housekeeping.ts` deletes the rows of users who were
 * deleted with SQL. The rows of sessions and guesses aren't deleted here, because they have a limited lifetime.
 */
export async function forgetUser(ctx: AuthContext, tx: Transaction, userId: string): Promise<void> {
  if (!ctx.hasOwnTables) return;
  await deleteRecoveryCodes(tx, userId);
  await deleteRemoval(tx, userId);
  await deleteSecurityData(tx, userId);
  await deleteUserKeys(tx, userId);
  await deleteSentEvents(tx, userId);
  await forgetScimUser(tx, userId);
}
