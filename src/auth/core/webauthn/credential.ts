/**
 * Keys as they are kept. A factor's is one JSON value, in the shape of go-webauthn 0.16 (`webauthn.Credential`), as
 * GoTrue 2.196 stores it; bytes in it are base64.
 */
import { isJsonObject, type JsonObject } from '../json.ts';
import type { CreationResponse } from './response.ts';

/** What is needed to judge a signature: part of a credential record (WebAuthn level 3, section 4). */
export interface KeyRecord {
  readonly id: Uint8Array;
  /** COSE_Key. */
  readonly publicKey: Uint8Array;
  /** Uses the authenticator had counted at the last one; 0 where it does not count. */
  readonly signCount: number;
  /** Whether the key may be copied to other devices. It never changes. */
  readonly backupEligible: boolean;
  readonly transports: readonly string[];
}

/** What a registration has proven. */
export interface NewKey extends KeyRecord {
  readonly attestationFormat: string;
  /** The authenticator's model, as a uuid. */
  readonly aaguid: string;
  readonly userVerified: boolean;
  readonly backedUp: boolean;
}

/** What a signature has proven. */
export interface KeyUse {
  readonly signCount: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/**
 * True when somebody else may hold a copy of the key: an authenticator that counts has not counted up (WebAuthn level
 * 3, section 7.2, step 22).
 */
export function looksCloned(key: KeyRecord, use: KeyUse): boolean {
  return (use.signCount !== 0 || key.signCount !== 0) && use.signCount <= key.signCount;
}

/** The value of web_authn_credential. */
export function factorCredential(
  key: NewKey,
  response: CreationResponse,
  clientDataHash: Uint8Array,
): JsonObject {
  const { aaguid, transports, attestationFormat, userVerified, backupEligible, backedUp, signCount } = key;
  const fromBase64Url = (text: string) => Buffer.from(text, 'base64url').toString('base64');
  return {
    id: base64(key.id),
    publicKey: base64(key.publicKey),
    // The format: so go-webauthn called the field until it had one for each.
    attestationType: attestationFormat,
    transport: transports.length > 0 ? [...transports] : null,
    flags: { userPresent: true, userVerified, backupEligible, backupState: backedUp },
    authenticator: {
      AAGUID: Buffer.from(aaguid.replaceAll('-', ''), 'hex').toString('base64'),
      signCount,
      cloneWarning: false,
      attachment: response.attachment,
    },
    attestation: {
      clientDataJSON: fromBase64Url(response.clientDataJSON),
      clientDataHash: base64(clientDataHash),
      authenticatorData: fromBase64Url(response.authenticatorData),
      publicKeyAlgorithm: response.publicKeyAlgorithm,
      object: fromBase64Url(response.attestationObject),
    },
  };
}

/** Undefined for a factor that was never verified. */
export function readFactorCredential(credential: JsonObject | null): KeyRecord | undefined {
  if (credential === null || typeof credential.id !== 'string' || typeof credential.publicKey !== 'string') {
    return undefined;
  }
  const { transport, flags, authenticator } = credential;
  const signCount = isJsonObject(authenticator) ? authenticator.signCount : 0;
  return {
    id: Buffer.from(credential.id, 'base64'),
    publicKey: Buffer.from(credential.publicKey, 'base64'),
    signCount: typeof signCount === 'number' ? signCount : 0,
    backupEligible: isJsonObject(flags) && flags.backupEligible === true,
    transports: Array.isArray(transport) ? transport.filter((name) => typeof name === 'string') : [],
  };
}

/** The credential after a use. */
export function usedFactorCredential(credential: JsonObject, use: KeyUse): JsonObject {
  const { flags, authenticator } = credential;
  return {
    ...credential,
    flags: {
      ...(isJsonObject(flags) ? flags : {}),
      userVerified: use.userVerified,
      backupState: use.backedUp,
    },
    authenticator: { ...(isJsonObject(authenticator) ? authenticator : {}), signCount: use.signCount },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
