/** Challenges and verifies WebAuthn keys as second factors. */
import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import type { Fields } from '../common/fields.ts';
import { isJsonObject, type JsonObject } from '../common/json.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { Factor, MfaChallenge, User } from '../common/rows.ts';
import { fromMs, toRfc3339 } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import {
  type Ceremony,
  type Creation,
  creationOptions,
  creationSession,
  newChallenge,
  readSession,
  requestOptions,
  requestSession,
  type SignatureRequest,
} from '../passkeys/ceremony.ts';
import {
  factorCredential,
  looksCloned,
  readFactorCredential,
  usedFactorCredential,
} from '../passkeys/credential.ts';
import {
  type KeyRecord,
  parseAssertion,
  parseCreation,
  verifyAssertion,
  verifyCreation,
} from '../passkeys/webauthn.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { asUser } from '../sessions/user-transaction.ts';
import {
  deleteChallenge,
  insertChallenge,
  listFactorKeys,
  saveFactorKeyUse,
  saveLastChallenge,
  saveNewFactorKey,
} from './queries.ts';
import { challengeLifetimeMs, type FactorChallenge, raiseSession, requireChallenge } from './verification.ts';

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
  const now = ctx.clock.now();
  const keys = await readKeys(ctx, user.id);
  const isNew = factor.status === 'unverified';
  if (!isNew && keys.length === 0) throw noKey();
  const { publicKey, session } = isNew ? creationFor(ctx, user, keys) : requestFor(ctx, user, keys);
  const create = async (tx: Transaction) => {
    const stored = { ip: caller.ip, otpCode: '', webAuthnSession: session };
    const challengeId = await insertChallenge(tx, factor, stored, now);
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

/** The input for the browser's WebAuthn API, and the state that is stored until the browser responds. */
interface Started {
  readonly publicKey: JsonObject;
  readonly session: JsonObject;
}

function creationFor(ctx: AuthContext, user: User, keys: readonly HeldKey[]): Started {
  const email = user.email ?? '';
  const creation: Creation = {
    party: ctx.settings.relyingParty(),
    kind: 'factor',
    challenge: newChallenge(),
    user: { id: user.id, name: email, displayName: email },
    excluded: keys.map(({ key }) => ({ id: key.id, transports: ['usb', 'nfc'] })),
  };
  return { publicKey: creationOptions(creation), session: creationSession(creation) };
}

function requestFor(ctx: AuthContext, user: User, keys: readonly HeldKey[]): Started {
  const request: SignatureRequest = {
    party: ctx.settings.relyingParty(),
    kind: 'factor',
    challenge: newChallenge(),
    userId: user.id,
    allowed: keys.map(({ key }) => key),
  };
  return { publicKey: requestOptions(request), session: requestSession(request) };
}

/**
 * Verifies the response to a challenge. Throws `validation_failed`, the errors of {@link requireChallenge}, and errors
 * with status 500 in the cases in which upstream returns this status.
 */
export async function verifyKey(
  ctx: AuthContext,
  caller: UserCaller,
  factor: Factor,
  { challengeId, body }: { readonly challengeId: string; readonly body: Fields },
): Promise<IssuedSession> {
  const { type, response } = readResponse(body);
  const challenge = await requireChallenge(ctx, caller, factor, challengeId);
  const ceremony = readSession(challenge.web_authn_session_data);
  if (!ceremony || ceremony.userId !== caller.user.id)
    throw internalError("The challenge doesn't belong to a key");
  const attempt = { type, factor, challenge, ceremony, response };
  return type === 'create' ? verifyNewKey(ctx, caller, attempt) : verifyKnownKey(ctx, caller, attempt);
}

function readResponse(body: Fields): Pick<Attempt, 'type' | 'response'> {
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
  readonly type: 'create' | 'request';
  readonly factor: Factor;
  readonly challenge: MfaChallenge;
  readonly ceremony: Ceremony;
  readonly response: unknown;
}

async function verifyNewKey(ctx: AuthContext, caller: UserCaller, attempt: Attempt): Promise<IssuedSession> {
  const { factor, challenge } = attempt;
  const creation = parseCreation(attempt.response);
  if (!creation) throw malformed();
  // A response to a challenge that is still pending from the enrollment can't replace a verified factor's key.
  if (factor.status === 'verified') throw creationRejected();
  const result = await verifyCreation(ctx.settings.relyingParty(), attempt.ceremony, creation);
  if (!result.ok) throw result.fault === 'malformed' ? malformed() : creationRejected(result.cause);
  const key = result.proven;
  const clientDataHash = createHash('sha256').update(creation.clientDataJSON, 'base64url').digest();
  const credential = factorCredential(key, creation, clientDataHash);
  const record = async (tx: Transaction) => {
    await saveNewFactorKey(tx, factor.id, { credential, aaguid: key.aaguid }, ctx.clock.now());
    await closeChallenge(ctx, tx, attempt);
  };
  return raiseSession(ctx, caller, { factor, challenge, record });
}

async function verifyKnownKey(
  ctx: AuthContext,
  caller: UserCaller,
  attempt: Attempt,
): Promise<IssuedSession> {
  const { factor, challenge, ceremony } = attempt;
  const assertion = parseAssertion(attempt.response);
  if (!assertion) throw malformed();
  const { user } = caller;
  const id = Buffer.from(assertion.id, 'base64url');
  const handle = Buffer.from(assertion.userHandle, 'base64url').toString('utf8');
  const isAllowed = ceremony.allowed.some((allowed) => id.equals(allowed));
  const used = (await readKeys(ctx, user.id)).find(({ key }) => id.equals(key.id));
  if (factor.status !== 'verified' || !isAllowed || !used || (handle !== '' && handle !== user.id)) {
    throw assertionRejected();
  }
  const result = await verifyAssertion(ctx.settings.relyingParty(), ceremony, assertion, used.key);
  if (!result.ok) throw result.fault === 'malformed' ? malformed() : assertionRejected(result.cause);
  const use = result.proven;
  if (looksCloned(used.key, use)) throw clone(ctx, used.factorId, user.id);
  // Bases the session's level on the factor whose key signed the challenge. If that factor is removed, the session's
  // level is lowered.
  const owner = user.factors.find((each) => each.id === used.factorId) ?? factor;
  const credential = usedFactorCredential(used.credential, use);
  const record = async (tx: Transaction) => {
    const keyUse = { credential, countBefore: used.key.signCount };
    if (!(await saveFactorKeyUse(tx, owner.id, keyUse, ctx.clock.now()))) {
      throw clone(ctx, owner.id, user.id);
    }
    await closeChallenge(ctx, tx, attempt);
  };
  return raiseSession(ctx, caller, { factor: owner, challenge, record });
}

/** Deletes a completed challenge and stores its data in the factor's row, where the project can inspect the data. */
async function closeChallenge(
  ctx: AuthContext,
  tx: Transaction,
  { type, factor, challenge, response }: Attempt,
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
