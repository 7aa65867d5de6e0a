/**
 * Starts WebAuthn ceremonies. A ceremony is the registration or the use of a key. Builds the options for the browser,
 * and the state that is stored until the browser responds. The state has the format `webauthn.SessionData` of
 * go-webauthn 0.16, which GoTrue 2.196 stores as well. Plinth can therefore finish a ceremony that GoTrue started, and
 * GoTrue can finish a ceremony that Plinth started.
 */
import { randomBytes } from 'node:crypto';
import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { Config } from '../../../platform/config/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../common/json.ts';

/** The website or app to which browsers bind each key (WebAuthn level 3, section 4). */
export interface RelyingParty {
  /** The relying party's domain, without a scheme or port. */
  readonly id: string;
  /** The name that browsers display. */
  readonly name: string;
  /**
   * The origins of the pages that may use WebAuthn. The origin of an Android app has the form `android:apk-key-hash:…`.
   */
  readonly origins: readonly string[];
}

/**
 * Returns the relying party that `[auth.webauthn]` configures. Missing values are derived from the site URL. If
 * passkeys are enabled, the configuration loader ensures that both values are set. WebAuthn second factors work without
 * these settings.
 *
 * @param pagesUrl the URL of the Account pages, whose origin is allowed by default. Undefined without these pages.
 */
export function relyingParty(
  webauthn: Config['auth']['webauthn'],
  siteUrl: string,
  pagesUrl?: string,
): RelyingParty {
  const site = URL.canParse(siteUrl) ? new URL(siteUrl) : undefined;
  const id = webauthn.rp_id ?? site?.hostname ?? '';
  const defaults = [siteUrl, ...(pagesUrl === undefined ? [] : [underName(pagesUrl, id)])];
  const origins = webauthn.rp_origins.length > 0 ? webauthn.rp_origins : defaults;
  return { id, name: webauthn.rp_display_name || id, origins: origins.map(canonicalOrigin) };
}

/**
 * Replaces the host of a loopback URL with the relying party's domain, which is `localhost` in development. Browsers
 * don't allow WebAuthn on an IP address.
 */
function underName(url: string, id: string): string {
  const { port } = new URL(url);
  return keepLoopbackName(url, port === '' ? id : `${id}:${port}`);
}

/**
 * Returns the origin in the form that browsers use: the scheme and host are in lowercase, and a default port is
 * omitted.
 */
function canonicalOrigin(address: string): string {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).origin : address;
}

/** How long the browser waits for the user. The challenge itself expires independently of this timeout. */
const ceremonyTimeoutMs = 300_000;

/**
 * The supported signature algorithms in order of preference, as COSE numbers: ES256, ES384, ES512, RS256, RS384, RS512,
 * PS256, PS384, PS512 and EdDSA.
 */
const algorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8];

/**
 * `passkey` is a key that signs users in without a username, and that verifies the user if the device supports user
 * verification. `factor` is any key used as a second factor.
 */
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

/** Generates a challenge of 32 random bytes in base64url. */
export function newChallenge(): string {
  return randomBytes(32).toString('base64url');
}

/** The registration of a key. */
export interface Creation {
  readonly party: RelyingParty;
  readonly kind: KeyKind;
  readonly challenge: string;
  readonly user: KeyUser;
  /** The user's other keys, whose authenticators can't be registered again. */
  readonly excluded: readonly KeyDescriptor[];
}

/**
 * Returns PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.4), with the members in upstream's order.
 */
export function creationOptions({ party, kind, challenge, user, excluded }: Creation): JsonObject {
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

/** Returns the state that is stored while a key is created. */
export function creationSession(creation: Creation): JsonObject {
  return { ...session({ ...creation, userId: creation.user.id }), credParams: keyParameters() };
}

/** The request for a key's signature. */
export interface SignatureRequest {
  readonly party: RelyingParty;
  readonly kind: KeyKind;
  readonly challenge: string;
  /** The user's ID. The ID is undefined if the user isn't known yet. */
  readonly userId: string | undefined;
  /** The keys that the user may use. If the list is empty, the user may use any key. */
  readonly allowed: readonly KeyDescriptor[];
}

/** Returns PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.5). */
export function requestOptions({ party, kind, challenge, allowed }: SignatureRequest): JsonObject {
  return {
    challenge,
    timeout: ceremonyTimeoutMs,
    rpId: party.id,
    ...(allowed.length > 0 ? { allowCredentials: allowed.map(renderDescriptor) } : {}),
    ...(kind === 'passkey' ? { userVerification: userVerification.passkey } : {}),
  };
}

/** Returns the state that is stored while a signature is requested. */
export function requestSession(request: SignatureRequest): JsonObject {
  const { allowed } = request;
  return {
    ...session(request),
    ...(allowed.length > 0
      ? { allowed_credentials: allowed.map(({ id }) => Buffer.from(id).toString('base64')) }
      : {}),
  };
}

function session({ party, kind, challenge, userId }: Omit<SignatureRequest, 'allowed'>): JsonObject {
  return {
    challenge,
    rpId: party.id,
    user_id: userId === undefined ? null : userHandle(userId).toString('base64'),
    // Go's zero time. The expiration time is stored in a separate column.
    expires: '0001-01-01T00:00:00Z',
    userVerification: userVerification[kind],
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

/** Returns the user handle that authenticators store. The handle consists of the bytes of the user ID's text. */
function userHandle(userId: string): Buffer {
  return Buffer.from(userId, 'utf8');
}

/** A stored ceremony. */
export interface Ceremony {
  readonly challenge: string;
  /** The user's ID. The ID is undefined if the user isn't known yet. */
  readonly userId: string | undefined;
  /** The keys that the user may use. If the list is empty, the user may use any key. */
  readonly allowed: readonly Uint8Array[];
  readonly userVerification: string;
  /**
   * The COSE numbers of the algorithms that a new key may use. The list is empty if the ceremony doesn't create a key.
   */
  readonly algorithms: readonly number[];
}

/** Parses a stored ceremony. Returns undefined if the value is invalid. */
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
