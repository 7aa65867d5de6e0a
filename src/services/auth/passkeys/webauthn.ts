/**
 * Verifies authenticator responses (WebAuthn level 3, sections 7.1 and 7.2) with @simplewebauthn/server. The library is
 * loaded on first use because most projects have no WebAuthn keys.
 */
import type { Ceremony } from './ceremony.ts';
import type { KeyRecord, KeyUse, NewKey } from './credential.ts';
import type { RelyingParty } from './relying-party.ts';
import type { AssertionResponse, CreationResponse } from './response.ts';

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
