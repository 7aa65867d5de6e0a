/**
 * What a browser answers, read strictly: RegistrationResponseJSON and AuthenticationResponseJSON of WebAuthn level 3,
 * section 5.1. Padded base64url is taken, as go-webauthn takes it.
 */
import { isJsonObject, type JsonObject } from '../json.ts';

interface KeyResponse {
  /** The credential id, base64url. */
  readonly id: string;
  /** base64url of the JSON that was signed. */
  readonly clientDataJSON: string;
}

export interface CreationResponse extends KeyResponse {
  readonly attestationObject: string;
  /** A copy of what the attestation object holds; empty where the browser gives none. */
  readonly authenticatorData: string;
  /** COSE number; 0 where the browser gives none. */
  readonly publicKeyAlgorithm: number;
  readonly transports: readonly string[];
  readonly attachment: '' | 'platform' | 'cross-platform';
}

export interface AssertionResponse extends KeyResponse {
  readonly authenticatorData: string;
  readonly signature: string;
  /** Empty where the authenticator gives none. */
  readonly userHandle: string;
}

/** Undefined for anything else. */
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
    // Its name before it was `hybrid`.
    transports: transports.map((name) => (name === 'cable' ? 'hybrid' : name)),
    attachment: attachment === 'platform' || attachment === 'cross-platform' ? attachment : '',
  };
}

/** Undefined for anything else. */
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
  // The key is looked up by rawId, as upstream does; id only has to be of the same kind.
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

/** base64url without its padding. */
function bytes(value: unknown): string | undefined {
  const text = typeof value === 'string' ? /^([A-Za-z0-9_-]*)=*$/.exec(value)?.[1] : undefined;
  return text === undefined || text.length % 4 === 1 ? undefined : text;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
