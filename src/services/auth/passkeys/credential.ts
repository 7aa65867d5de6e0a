/**
 * Reads and writes stored keys, and returns the model names of authenticators. A factor's key is stored as one JSON value in the format `webauthn.Credential` of
 * go-webauthn 0.16, which GoTrue 2.196 uses as well. In this format, bytes are encoded in base64.
 */
import { isJsonObject, type JsonObject } from '../common/json.ts';
import type { CreationResponse, KeyRecord, KeyUse, NewKey } from './webauthn.ts';

/**
 * Whether the key may have been copied. A copy is likely if the authenticator has a counter but didn't increment the
 * counter (WebAuthn level 3, section 7.2, step 22).
 */
export function looksCloned(key: KeyRecord, use: KeyUse): boolean {
  return (use.signCount !== 0 || key.signCount !== 0) && use.signCount <= key.signCount;
}

/** Returns the value that the column web_authn_credential stores for a new key. */
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
    // The value is the attestation format, because go-webauthn stored the format in this field before the format had a
    // separate field.
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

/** Returns the key of a factor, or undefined if the factor has never been verified. */
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

/** Returns a copy of the credential that records a use of the key. */
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

const noModel = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the model name of an authenticator, or undefined if the model is unknown. The names in `aaguids.json` are from
 * a list that a community maintains (github.com/passkeydeveloper/passkey-authenticator-aaguids). GoTrue 2.196 includes
 * the same list.
 */
export async function modelName(aaguid: string): Promise<string | undefined> {
  if (aaguid === noModel) return undefined;
  const { default: models } = await import('./aaguids.json', { with: { type: 'json' } });
  const names: Readonly<Record<string, string>> = models;
  return Object.hasOwn(names, aaguid) ? names[aaguid] : undefined;
}
