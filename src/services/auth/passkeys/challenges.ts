/** Creates challenges for registering passkeys and for signing in with them, and reads the responses. */
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { toMs } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { type Ceremony, readSession } from './ceremony.ts';
import { consumePasskeyChallenge, insertPasskeyChallenge, type PasskeyChallengeType } from './queries.ts';

const passkeyChallengeLifetimeMs = 300_000;

/** A challenge for registering a passkey or for signing in with one. */
export interface PasskeyOptions {
  readonly challengeId: string;
  /** The input for the browser's WebAuthn API. */
  readonly options: object;
  readonly expiresAtSeconds: number;
}

export async function createChallenge(
  ctx: AuthContext,
  challenge: {
    readonly type: PasskeyChallengeType;
    readonly userId: string | null;
    readonly session: JsonObject;
    readonly options: JsonObject;
  },
): Promise<PasskeyOptions> {
  const { options, ...stored } = challenge;
  const now = ctx.clock.now();
  const expiresAtMs = now + passkeyChallengeLifetimeMs;
  const id = await insertPasskeyChallenge(ctx.pool, { ...stored, expiresAtMs }, now);
  return { challengeId: id, options, expiresAtSeconds: Math.floor(expiresAtMs / 1000) };
}

/**
 * Returns the parsed response and the challenge that it answers. Deletes the challenge so that clients can't use it
 * again.
 */
export async function consumeResponse(
  ctx: AuthContext,
  body: Fields,
  type: PasskeyChallengeType,
  userId: string | null,
): Promise<{ ceremony: Ceremony; credential: unknown }> {
  const challengeId = body.text('challenge_id');
  const credential = body.raw('credential');
  if (challengeId === '') throw authError('validation_failed', 'challenge_id is required');
  if (credential === undefined) throw authError('validation_failed', 'credential is required');
  if (!isUuid(challengeId)) throw authError('validation_failed', 'challenge_id must be a valid UUID');
  const challenge = await consumePasskeyChallenge(ctx.pool, challengeId, type, userId);
  const ceremony = readSession(challenge?.session_data);
  if (!challenge || !ceremony) throw authError('webauthn_challenge_not_found');
  if (ctx.clock.now() > toMs(challenge.expires_at)) throw authError('webauthn_challenge_expired');
  return { ceremony, credential };
}

/** Returns the error for a response that is malformed or that fails verification. */
export function rejection(fault: 'malformed' | 'refused', cause?: unknown) {
  const message = fault === 'malformed' ? 'Invalid credential response' : undefined;
  return authError('webauthn_verification_failed', message, { cause });
}
