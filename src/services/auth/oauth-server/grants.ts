/** Lists and revokes a user's grants to OAuth clients. */

import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { recordEvent } from '../security-events/record.ts';
import { deleteClientSessions } from '../sessions/queries.ts';
import { asUserEnding } from '../sessions/user-transaction.ts';
import { findOAuthClient } from './client-queries.ts';
import { findConsent, type GrantedClient, listConsents, revokeConsent } from './consent-queries.ts';

export function listGrants(ctx: AuthContext, { user }: UserCaller): Promise<GrantedClient[]> {
  return listConsents(ctx.pool, user.id);
}

/**
 * Revokes a client's grant and ends the client's sessions.
 * @throws {AuthError} validation_failed, oauth_consent_not_found
 */
export async function revokeGrant(ctx: AuthContext, caller: UserCaller, clientId: string): Promise<void> {
  const { user } = caller;
  if (clientId === '') throw authError('validation_failed', 'client_id query parameter is required');
  if (!isUuid(clientId)) throw authError('validation_failed', 'invalid client_id format');
  await asUserEnding(ctx, caller, async (tx) => {
    const consent = await findConsent(tx, user.id, clientId);
    if (consent === undefined) {
      throw authError('oauth_consent_not_found', 'No active grant found for this client');
    }
    await revokeConsent(tx, consent.id, ctx.clock.now());
    await deleteClientSessions(tx, user.id, clientId);
    const traits = { oauth_client_id: clientId, action: 'revoke_oauth_grant' };
    await audit(ctx, tx, user, { action: 'token_revoked', traits });
    const client = await findOAuthClient(tx, clientId);
    const details = { client_id: clientId, name: client?.client_name ?? '' };
    await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'app_disconnected', details });
  });
}
