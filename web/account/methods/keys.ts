/**
 * Uses passkeys and security keys (WebAuthn level 3). Passes the options from the auth service to the browser and
 * returns the browser's response as JSON. This module is a separate chunk because most visits don't need its code.
 */

/**
 * Thrown if the user closed the browser's dialog or no key was available. Browsers don't distinguish between these
 * cases.
 */
export class KeyCanceled extends Error {
  override readonly name = 'KeyCanceled';
}

/** Thrown if the user closed the browser's dialog for a new key or the device can't create a key. */
export class KeyNotAdded extends Error {
  override readonly name = 'KeyNotAdded';
}

/** Thrown if the device already has a key for this account. */
export class KeyKnown extends Error {
  override readonly name = 'KeyKnown';
}

/** The options as the auth service sends them, with byte strings in base64url. */
export type CreationJson = PublicKeyCredentialCreationOptionsJSON;
export type RequestJson = PublicKeyCredentialRequestOptionsJSON;

let waiting: AbortController | undefined;

/**
 * Requests a signature from a passkey or security key. If `inField` is set, the browser offers the key in a field with
 * `autocomplete="… webauthn"` until another request starts.
 * @throws {KeyCanceled}
 */
export async function requestKey(options: RequestJson, inField = false): Promise<object> {
  waiting?.abort();
  waiting = new AbortController();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return credentialOf(KeyCanceled, () =>
    navigator.credentials.get({
      publicKey,
      signal: (waiting as AbortController).signal,
      ...(inField ? { mediation: 'conditional' } : {}),
    }),
  );
}

/** Creates a passkey or security key. @throws {KeyNotAdded} @throws {KeyKnown} */
export async function makeKey(options: CreationJson): Promise<object> {
  waiting?.abort();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return credentialOf(KeyNotAdded, () => navigator.credentials.create({ publicKey }));
}

async function credentialOf(
  Canceled: typeof KeyCanceled | typeof KeyNotAdded,
  ask: () => Promise<Credential | null>,
): Promise<object> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const { name } = error as { name?: string };
    if (name === 'InvalidStateError') throw new KeyKnown();
    throw new Canceled();
  }
}
