/**
 * Parses and verifies authenticator responses. Parses RegistrationResponseJSON and AuthenticationResponseJSON strictly
 * (WebAuthn level 3, section 5.1), but accepts base64url with padding, as go-webauthn does. Verifies the responses
 * (sections 7.1 and 7.2) with @simplewebauthn/server. The library is loaded on first use because most projects have no
 * WebAuthn keys.
 */
import { isJsonObject, type JsonObject } from '../common/json.ts';
import type { Ceremony, RelyingParty } from './ceremony.ts';

interface KeyResponse {
  /** The credential ID in base64url. */
  readonly id: string;
  /** The signed JSON text, in base64url. */
  readonly clientDataJSON: string;
}

export interface CreationResponse extends KeyResponse {
  readonly attestationObject: string;
  /**
   * A copy of the authenticator data that the attestation object contains. The value is empty if the browser omits this
   * copy.
   */
  readonly authenticatorData: string;
  /** The COSE number of the key's algorithm. The value is 0 if the browser omits the algorithm. */
  readonly publicKeyAlgorithm: number;
  readonly transports: readonly string[];
  readonly attachment: '' | 'platform' | 'cross-platform';
}

export interface AssertionResponse extends KeyResponse {
  readonly authenticatorData: string;
  readonly signature: string;
  /** The stored user ID. The value is empty if the authenticator omits the user ID. */
  readonly userHandle: string;
}

/** Parses a registration response. Returns undefined if the value is invalid. */
export function parseCreation(json: unknown): CreationResponse | undefined {
  const parts = readParts(json);
  if (!parts) return undefined;
  const { id, clientDataJSON, response, attachment } = parts;
  const attestationObject = bytes(response.attestationObject);
  const authenticatorData = bytes(response.authenticatorData ?? '');
  const { publicKeyAlgorithm = 0, transports = [] } = response;
  if (!attestationObject || authenticatorData === undefined) return undefined;
  if (typeof publicKeyAlgorithm !== 'number' || !isTextList(transports)) return undefined;
  return {
    id,
    clientDataJSON,
    attestationObject,
    authenticatorData,
    publicKeyAlgorithm,
    // The transport `hybrid` was named `cable` before it was standardized.
    transports: transports.map((name) => (name === 'cable' ? 'hybrid' : name)),
    attachment: attachment === 'platform' || attachment === 'cross-platform' ? attachment : '',
  };
}

/** Parses an authentication response. Returns undefined if the value is invalid. */
export function parseAssertion(json: unknown): AssertionResponse | undefined {
  const parts = readParts(json);
  if (!parts) return undefined;
  const { id, clientDataJSON, response } = parts;
  const authenticatorData = bytes(response.authenticatorData);
  const signature = bytes(response.signature);
  const userHandle = bytes(response.userHandle ?? '');
  if (!authenticatorData || signature === undefined || userHandle === undefined) return undefined;
  return { id, clientDataJSON, authenticatorData, signature, userHandle };
}

interface Parts extends KeyResponse {
  readonly response: JsonObject;
  readonly attachment: unknown;
}

function readParts(json: unknown): Parts | undefined {
  if (!isJsonObject(json) || json.type !== 'public-key') return undefined;
  const { response } = json;
  // The member `rawId` identifies the key, and `id` only has to be valid base64url, as in upstream.
  const id = bytes(json.rawId);
  if (!bytes(json.id) || !id || !isJsonObject(response)) return undefined;
  const clientDataJSON = bytes(response.clientDataJSON);
  if (!clientDataJSON || !isClientData(clientDataJSON)) return undefined;
  return { id, clientDataJSON, response, attachment: json.authenticatorAttachment };
}

function isClientData(base64url: string): boolean {
  try {
    const data: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    return (
      isJsonObject(data) && ['type', 'challenge', 'origin'].every((name) => typeof data[name] === 'string')
    );
  } catch {
    return false;
  }
}

/** Returns base64url without padding, or undefined if the value isn't base64url. */
function bytes(value: unknown): string | undefined {
  const text = typeof value === 'string' ? /^([A-Za-z0-9_-]*)=*$/.exec(value)?.[1] : undefined;
  return text === undefined || text.length % 4 === 1 ? undefined : text;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The part of a credential record (WebAuthn level 3, section 4) that is required to verify a signature. */
export interface KeyRecord {
  readonly id: Uint8Array;
  /** The public key, encoded as COSE_Key. */
  readonly publicKey: Uint8Array;
  /** The signature counter after the last use. The value is 0 if the authenticator has no counter. */
  readonly signCount: number;
  /** Whether the key can be copied to other devices. This never changes. */
  readonly backupEligible: boolean;
  readonly transports: readonly string[];
}

/** The result of a verified registration. */
export interface NewKey extends KeyRecord {
  readonly attestationFormat: string;
  /** The ID (UUID) of the authenticator's model. */
  readonly aaguid: string;
  readonly userVerified: boolean;
  readonly backedUp: boolean;
}

/** The result of a verified signature. */
export interface KeyUse {
  readonly signCount: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

export type Verification<T> =
  | { readonly ok: true; readonly proven: T }
  /**
   * `malformed` means that the value isn't an authenticator response. `refused` means that the response doesn't belong
   * to this WebAuthn ceremony.
   */
  | { readonly ok: false; readonly fault: 'malformed' | 'refused'; readonly cause: unknown };

/** Verifies a new key and the key's attestation statement. Accepts every authenticator model. */
export async function verifyCreation(
  party: RelyingParty,
  ceremony: Ceremony,
  response: CreationResponse,
): Promise<Verification<NewKey>> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, parseAuthenticatorData }] = await load();
  try {
    const object = decodeAttestationObject(bytesOf(response.attestationObject));
    if (!parseAuthenticatorData(object.get('authData')).flags.at)
      throw new Error("The response doesn't contain a key");
  } catch (cause) {
    return { ok: false, fault: 'malformed', cause };
  }
  try {
    const { id, clientDataJSON, attestationObject, transports } = response;
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, attestationObject, transports: [...transports] },
        clientExtensionResults: {},
      },
      expectedChallenge: ceremony.challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: ceremony.userVerification === 'required',
      supportedAlgorithmIDs: [...ceremony.algorithms],
    });
    if (!registrationInfo) throw new Error("The attestation statement isn't valid");
    const { credential, fmt, aaguid, userVerified, credentialDeviceType, credentialBackedUp } =
      registrationInfo;
    const proven = {
      id: Buffer.from(credential.id, 'base64url'),
      publicKey: credential.publicKey,
      signCount: credential.counter,
      backupEligible: credentialDeviceType === 'multiDevice',
      transports,
      attestationFormat: fmt,
      aaguid,
      userVerified,
      backedUp: credentialBackedUp,
    };
    return { ok: true, proven };
  } catch (cause) {
    return { ok: false, fault: 'refused', cause };
  }
}

/** Verifies a known key's signature. The caller must check the signature counter. */
export async function verifyAssertion(
  party: RelyingParty,
  ceremony: Ceremony,
  response: AssertionResponse,
  key: KeyRecord,
): Promise<Verification<KeyUse>> {
  const [{ verifyAuthenticationResponse }, { parseAuthenticatorData }] = await load();
  try {
    parseAuthenticatorData(bytesOf(response.authenticatorData));
  } catch (cause) {
    return { ok: false, fault: 'malformed', cause };
  }
  try {
    const { id, clientDataJSON, authenticatorData, signature } = response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: ceremony.challenge,
      expectedOrigin: [...party.origins],
      // The pages of the relying party may embed each other.
      expectedTopOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: ceremony.userVerification === 'required',
      credential: {
        id: Buffer.from(key.id).toString('base64url'),
        publicKey: Uint8Array.from(key.publicKey),
        counter: 0,
      },
    });
    if (!verified) throw new Error("The signature isn't valid");
    const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = authenticationInfo;
    const backupEligible = credentialDeviceType === 'multiDevice';
    if (backupEligible !== key.backupEligible)
      throw new Error('The backup eligibility of the key has changed');
    const proven = { signCount: newCounter, userVerified, backupEligible, backedUp: credentialBackedUp };
    return { ok: true, proven };
  } catch (cause) {
    return { ok: false, fault: 'refused', cause };
  }
}

function load() {
  return Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')]);
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(base64url, 'base64url'));
}
