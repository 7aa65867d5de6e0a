/**
 * Passkeys and security keys (WebAuthn level 3): what auth asks goes to the browser, its answer goes back as JSON. A
 * chunk of its own, for those who use one.
 */

/** The person closed the browser's window, or no key was at hand; browsers do not tell which. */
export class KeyCancelled extends Error {
  override readonly name = 'KeyCancelled';
}

/** The device has a key for this account already. */
export class KeyKnown extends Error {
  override readonly name = 'KeyKnown';
}

/** As auth writes them: byte strings in base64url. */
export type CreationJson = PublicKeyCredentialCreationOptionsJSON;
export type RequestJson = PublicKeyCredentialRequestOptionsJSON;

let waiting: AbortController | undefined;

/**
 * Asks for a key to sign in or to confirm with. `inField`: the browser offers it in a field with
 * `autocomplete="… webauthn"`, for as long as nobody asks otherwise.
 * @throws {KeyCancelled}
 */
export async function askKey(options: RequestJson, inField = false): Promise<object> {
  waiting?.abort();
  waiting = new AbortController();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return answerOf(() =>
    navigator.credentials.get({
      publicKey,
      signal: (waiting as AbortController).signal,
      ...(inField ? { mediation: 'conditional' } : {}),
    }),
  );
}

/** @throws {KeyCancelled} @throws {KeyKnown} */
export async function makeKey(options: CreationJson): Promise<object> {
  waiting?.abort();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return answerOf(() => navigator.credentials.create({ publicKey }));
}

async function answerOf(ask: () => Promise<Credential | null>): Promise<object> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const { name } = error as { name?: string };
    if (name === 'InvalidStateError') throw new KeyKnown();
    throw new KeyCancelled();
  }
}
