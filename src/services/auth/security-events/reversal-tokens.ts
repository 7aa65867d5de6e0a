/** Generates the tokens for links in security notices. */
import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../../platform/database/types.ts';
import type { AuthContext } from '../context.ts';
import type { SecurityEvent } from './events.ts';
import { insertReversal } from './reversal-queries.ts';

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Stores a link that undoes the event, and returns the link's token. Stores only the token's hash. */
export async function addReversal(ctx: AuthContext, db: Queryable, event: SecurityEvent): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const expiresAtMs = ctx.clock.now() + ctx.settings.security.undoPeriodMs;
  await insertReversal(db, { hash: hashOf(token), eventId: event.id, expiresAtMs });
  return token;
}
