/** Enrolls, challenges and verifies WebAuthn keys as second factors. */

import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import type { Fields } from '../common/fields.ts';
import { isJsonObject, type JsonObject } from '../common/json.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { Factor, MfaChallenge } from '../common/rows.ts';
import { fromMs, toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import {
  type Ceremony,
  creationOptions,
  creationSession,
  newChallenge,
  readSession,
  requestOptions,
  requestSession,
} from '../passkeys/ceremony.ts';
import {
  factorCredential,
  type KeyRecord,
  looksCloned,
  readFactorCredential,
  usedFactorCredential,
} from '../passkeys/credential.ts';
import { parseAssertion, parseCreation } from '../passkeys/response.ts';
import { verifyAssertion, verifyCreation } from '../passkeys/webauthn.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { asUser } from '../sessions/user-transaction.ts';
import { challengeLifetimeMs, checkEnrollment, raiseSession, requireChallenge } from './mfa.ts';
import { deleteChallenge, insertChallenge, insertFactor } from './queries.ts';
import type { Enrollment, FactorChallenge } from './render.ts';
import { listFactorKeys, saveFactorKeyUse, saveLastChallenge, saveNewFactorKey } from './webauthn-queries.ts';

export async function enrolKey(
  ctx: AuthContext,
  caller: UserCaller,
  friendlyName: string,
): Promise<Enrollment> {
  const { user } = caller;
  const id = await asUser(ctx, caller, async (tx) => {
    await checkEnrollment(ctx, tx, caller, friendlyName);
    const factor = { userId: user.id, type: 'webauthn', friendlyName } as const;
    const factorId = await insertFactor(tx, factor, ctx.clock.now());
    const traits = { factor_id: factorId, factor_type: 'webauthn' };
    await audit(ctx, tx, user, { action: 'factor_in_progress', ip: caller.ip, traits });
    return factorId;
  });
  return { id, type: 'webauthn', friendlyName };
}

/**
 * Creates a challenge. To verify a new factor, the response must contain a new key. For a verified factor, any of the
 * user's keys can sign the challenge.
 */
export async function challengeKey(
  ctx: AuthContext,
  caller: UserCaller,
  factor: Factor,
): Promise<FactorChallenge> {
  const { user } = caller;
  const { relyingParty: party } = ctx.settings;
  const now = ctx.clock.now();
  const keys = await readKeys(ctx, user.id);
  const challenge = newChallenge();
  const isNew = factor.status === 'unverified';
  if (!isNew && keys.length === 0) throw noKey();
  const email = user.email ?? '';
  const publicKey = isNew
    ? creationOptions(party, 'factor', { id: user.id, name: email, displayName: email }, challenge, [
        ...keys.map(({ key }) => ({ id: key.id, transports: ['usb', 'nfc'] })),
      ])
    : requestOptions(
        party,
        'factor',
        challenge,
        keys.map(({ key }) => key),
      );
  const webAuthnSession = isNew
    ? creationSession(party, 'factor', challenge, user.id)
    : requestSession(
        party,
        'factor',
        challenge,
        user.id,
        keys.map(({ key }) => key),
      );
  const create = async (tx: Transaction) => {
    const challengeId = await insertChallenge(
      tx,
      factor,
      { ip: caller.ip, otpCode: '', webAuthnSession },
      now,
    );
    const traits = { factor_id: factor.id, factor_status: factor.status };
    await audit(ctx, tx, user, { action: 'challenge_created', ip: caller.ip, traits });
    return challengeId;
  };
  const id = await retryOnConflict(() => asUser(ctx, caller, create));
  return {
    id,
    type: 'webauthn',
    expiresAtSeconds: Math.floor((now + challengeLifetimeMs) / 1000),
    webauthn: { type: isNew ? 'create' : 'request', publicKey },
  };
}

/**
 * Verifies the response to a challenge. Throws `validation_failed`, the errors of {@link requireChallenge}, and errors
 * with status 500 in the cases in which upstream returns this status.
 */
export async function verifyKey(
  ctx: AuthContext,
  caller: UserCaller,
  factor: Factor,
  challengeId: string,
  body: Fields,
): Promise<IssuedSession> {
  const { type, response } = readResponse(body);
  const challenge = await requireChallenge(ctx, caller, factor, challengeId);
  const ceremony = readSession(challenge.web_authn_session_data);
  if (!ceremony || ceremony.userId !== caller.user.id)
    throw internalError("The challenge doesn't belong to a key");
  return type === 'create'
    ? verifyNewKey(ctx, caller, { factor, challenge, ceremony, response })
    : verifyKnownKey(ctx, caller, { factor, challenge, ceremony, response });
}

function readResponse(body: Fields): { type: 'create' | 'request'; response: unknown } {
  const webauthn = body.object('webauthn');
  if (!webauthn) throw authError('validation_failed', 'WebAuthn config required');
  const { type, credential_response: response } = webauthn;
  if (type !== 'create' && type !== 'request') {
    throw authError('validation_failed', 'WebAuthn type must be create or request');
  }
  if (response === undefined) throw authError('validation_failed', 'credential_response required');
  return { type, response };
}

interface Attempt {
  readonly factor: Factor;
  readonly challenge: MfaChallenge;
  readonly ceremony: Ceremony;
  readonly response: unknown;
}

async function verifyNewKey(
  ctx: AuthContext,
  caller: UserCaller,
  { factor, challenge, ceremony, response }: Attempt,
): Promise<IssuedSession> {
  const creation = parseCreation(response);
  if (!creation) throw malformed();
  // A response to a challenge that is still pending from the enrollment can't replace a verified factor's key.
  if (factor.status === 'verified') throw creationRejected();
  const result = await verifyCreation(ctx.settings.relyingParty, ceremony, creation);
  if (!result.ok) throw result.fault === 'malformed' ? malformed() : creationRejected(result.cause);
  const key = result.proven;
  const clientDataHash = createHash('sha256').update(creation.clientDataJSON, 'base64url').digest();
  return raiseSession(ctx, caller, factor, challenge, async (tx) => {
    const credential = factorCredential(key, creation, clientDataHash);
    await saveNewFactorKey(tx, factor.id, credential, key.aaguid, ctx.clock.now());
    await closeChallenge(ctx, tx, factor, challenge, 'create', response);
  });
}

async function verifyKnownKey(
  ctx: AuthContext,
  caller: UserCaller,
  { factor, challenge, ceremony, response }: Attempt,
): Promise<IssuedSession> {
  const credential = parseAssertion(response);
  if (!credential) throw malformed();
  const { user } = caller;
  const id = Buffer.from(credential.id, 'base64url');
  const handle = Buffer.from(credential.userHandle, 'base64url').toString('utf8');
  const isAllowed = ceremony.allowed.some((allowed) => id.equals(allowed));
  const used = (await readKeys(ctx, user.id)).find(({ key }) => id.equals(key.id));
  if (factor.status !== 'verified' || !isAllowed || !used || (handle !== '' && handle !== user.id)) {
    throw assertionRejected();
  }
  const result = await verifyAssertion(ctx.settings.relyingParty, ceremony, credential, used.key);
  if (!result.ok) throw result.fault === 'malformed' ? malformed() : assertionRejected(result.cause);
  const use = result.proven;
  if (looksCloned(used.key, use)) throw clone(ctx, used.factorId, user.id);
  // Bases the session's level on the factor whose key signed the challenge. If that factor is removed, the session's
  // level is lowered.
  const owner = user.factors.find((each) => each.id === used.factorId) ?? factor;
  return raiseSession(ctx, caller, owner, challenge, async (tx) => {
    const credential = usedFactorCredential(used.credential, use);
    const isFirst = await saveFactorKeyUse(tx, owner.id, credential, used.key.signCount, ctx.clock.now());
    if (!isFirst) throw clone(ctx, owner.id, user.id);
    await closeChallenge(ctx, tx, factor, challenge, 'request', response);
  });
}

/** Deletes a completed challenge and stores its data in the factor's row, where the project can inspect the data. */
async function closeChallenge(
  ctx: AuthContext,
  tx: Transaction,
  factor: Factor,
  challenge: MfaChallenge,
  type: 'create' | 'request',
  response: unknown,
): Promise<void> {
  await deleteChallenge(tx, challenge.id);
  const data = {
    challenge: {
      challenge_id: challenge.id,
      factor_id: challenge.factor_id,
      created_at: toRfc3339(challenge.created_at),
      verified_at: fromMs(ctx.clock.now()),
      ip_address: challenge.ip_address,
      web_authn_session_data: challenge.web_authn_session_data,
    },
    type,
    credential_response: isJsonObject(response) ? response : null,
  };
  await saveLastChallenge(tx, factor.id, data, ctx.clock.now());
}

interface HeldKey {
  readonly factorId: string;
  readonly credential: JsonObject;
  readonly key: KeyRecord;
}

async function readKeys(ctx: AuthContext, userId: string): Promise<HeldKey[]> {
  const rows = await listFactorKeys(ctx.pool, userId);
  return rows.flatMap(({ factor_id, web_authn_credential: credential }) => {
    const key = readFactorCredential(credential);
    return credential && key ? [{ factorId: factor_id, credential, key }] : [];
  });
}

const malformed = () => authError('validation_failed', 'Invalid credential_response');

const noKey = () => new AuthError('unexpected_failure');

/** Returns the error for a rejected key. Upstream also returns status 500 for errors raised by its WebAuthn library. */
const creationRejected = (cause?: unknown) => new AuthError('unexpected_failure', { cause });

const assertionRejected = (cause?: unknown) =>
  internalError('Failed to validate WebAuthn MFA response', cause);

function clone(ctx: AuthContext, factorId: string, userId: string) {
  ctx.log.warn(
    { service: 'auth', factorId, userId },
    "a factor's signature counter didn't increase; its key may have been cloned",
  );
  return assertionRejected();
}
