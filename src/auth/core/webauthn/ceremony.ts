/**
 * A ceremony of WebAuthn: what the browser is asked, and what is kept until it answers. What is kept has the shape of
 * go-webauthn 0.16 (`webauthn.SessionData`), as GoTrue 2.196 stores it, so that either can finish what the other began.
 */
import { randomBytes } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { RelyingParty } from './relying-party.ts';

/** How long a browser should wait for its user. The challenge itself ends by a clock of ours. */
const ceremonyTimeoutMs = 300_000;

/** COSE numbers of ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512 and EdDSA, the preferred first. */
const algorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8];

/** `passkey`: found without a user name, and the user verified where the device can. `factor`: any key will do. */
export type KeyKind = 'passkey' | 'factor';

const userVerification = { passkey: 'preferred', factor: '' } as const;

export interface KeyUser {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
}

export interface KeyDescriptor {
  readonly id: Uint8Array;
  readonly transports?: readonly string[];
}

export interface Ceremony {
  readonly challenge: string;
  /** Undefined when nobody is known yet. */
  readonly userId: string | undefined;
  /** Keys that may answer; any key when empty. */
  readonly allowed: readonly Uint8Array[];
  readonly userVerification: string;
  /** COSE numbers a new key may have; none when no key is to be made. */
  readonly algorithms: readonly number[];
}

/** 32 random bytes, base64url. */
export function newChallenge(): string {
  return randomBytes(32).toString('base64url');
}

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.4), in the order upstream writes it. */
export function creationOptions(
  party: RelyingParty,
  kind: KeyKind,
  user: KeyUser,
  challenge: string,
  excluded: readonly KeyDescriptor[],
): JsonObject {
  return {
    rp: { name: party.name, id: party.id },
    user: { name: user.name, displayName: user.displayName, id: userHandle(user.id).toString('base64url') },
    challenge,
    pubKeyCredParams: keyParameters(),
    timeout: ceremonyTimeoutMs,
    ...(excluded.length > 0 ? { excludeCredentials: excluded.map(renderDescriptor) } : {}),
    authenticatorSelection:
      kind === 'passkey' ? { residentKey: 'required', userVerification: userVerification.passkey } : {},
    ...(kind === 'passkey' ? { attestation: 'none' } : {}),
  };
}

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.5). */
export function requestOptions(
  party: RelyingParty,
  kind: KeyKind,
  challenge: string,
  allowed: readonly KeyDescriptor[],
): JsonObject {
  return {
    challenge,
    timeout: ceremonyTimeoutMs,
    rpId: party.id,
    ...(allowed.length > 0 ? { allowCredentials: allowed.map(renderDescriptor) } : {}),
    ...(kind === 'passkey' ? { userVerification: userVerification.passkey } : {}),
  };
}

function renderDescriptor({ id, transports = [] }: KeyDescriptor): JsonObject {
  return {
    type: 'public-key',
    id: Buffer.from(id).toString('base64url'),
    ...(transports.length > 0 ? { transports: [...transports] } : {}),
  };
}

function keyParameters(): JsonObject[] {
  return algorithms.map((alg) => ({ type: 'public-key', alg }));
}

/** A user as authenticators keep it: the bytes of the id's text. */
export function userHandle(userId: string): Buffer {
  return Buffer.from(userId, 'utf8');
}

/** What is kept while a key is being made. */
export function creationSession(
  party: RelyingParty,
  kind: KeyKind,
  challenge: string,
  userId: string,
): JsonObject {
  return { ...session(party, kind, challenge, userId), credParams: keyParameters() };
}

/** What is kept while a key is asked for a signature. */
export function requestSession(
  party: RelyingParty,
  kind: KeyKind,
  challenge: string,
  userId: string | undefined,
  allowed: readonly KeyDescriptor[],
): JsonObject {
  return {
    ...session(party, kind, challenge, userId),
    ...(allowed.length > 0
      ? { allowed_credentials: allowed.map(({ id }) => Buffer.from(id).toString('base64')) }
      : {}),
  };
}

function session(
  party: RelyingParty,
  kind: KeyKind,
  challenge: string,
  userId: string | undefined,
): JsonObject {
  return {
    challenge,
    rpId: party.id,
    user_id: userId === undefined ? null : userHandle(userId).toString('base64'),
    // Go's zero time: the row says when it ends.
    expires: '0001-01-01T00:00:00Z',
    userVerification: userVerification[kind],
  };
}

/** Undefined for what no ceremony has written. */
export function readSession(kept: unknown): Ceremony | undefined {
  if (!isJsonObject(kept) || typeof kept.challenge !== 'string' || kept.challenge === '') return undefined;
  const userId = typeof kept.user_id === 'string' ? Buffer.from(kept.user_id, 'base64').toString('utf8') : '';
  return {
    challenge: kept.challenge,
    userId: userId === '' ? undefined : userId,
    allowed: list(kept.allowed_credentials)
      .filter((id) => typeof id === 'string')
      .map((id) => Buffer.from(id, 'base64')),
    userVerification: typeof kept.userVerification === 'string' ? kept.userVerification : '',
    algorithms: list(kept.credParams)
      .map((parameter) => (isJsonObject(parameter) ? parameter.alg : undefined))
      .filter((alg) => typeof alg === 'number'),
  };
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
