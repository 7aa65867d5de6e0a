/**
 * Strictly parses the browser responses RegistrationResponseJSON and AuthenticationResponseJSON (WebAuthn level 3,
 * section 5.1). Accepts base64url with padding, as go-webauthn does.
 */
import { isJsonObject, type JsonObject } from '../common/json.ts';

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
