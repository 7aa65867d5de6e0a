/**
 * Uses passkeys in the browser (WebAuthn level 3). Passes the server's options to the browser and returns the browser's
 * response as JSON.
 */
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { t } from './text.ts';

type PasskeyResponse = Body<'POST /factor/passkeys/prove'>['answer'];

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Creates a passkey for the operator. @throws {Error} with a message for the operator */
export async function addPasskey(name: string): Promise<void> {
  const options = await fetchConsole('POST /factor/passkeys/begin');
  requireHost(options.rp.id);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const response = await requestPasskey(() => navigator.credentials.create({ publicKey }));
  await fetchConsole('POST /factor/passkeys', { body: { name, answer: response } });
}

/** Verifies the operator's second factor with a passkey. @throws {Error} with a message for the operator */
export async function provePasskey(): Promise<void> {
  const options = await fetchConsole('POST /factor/passkeys/ask');
  requireHost(options.rpId);
  if (options.allowCredentials.length === 0) throw new Error(t('passkey.none'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const response = await requestPasskey(() => navigator.credentials.get({ publicKey }));
  await fetchConsole('POST /factor/passkeys/prove', { body: { answer: response } });
}

/**
 * Throws if the Console is open at a different host, such as an IP address, because a passkey works only at the host
 * name for which it was created.
 */
function requireHost(name: string | undefined): void {
  if (name === undefined || location.hostname === name || location.hostname.endsWith(`.${name}`)) return;
  const address = new URL(location.href);
  address.hostname = name;
  throw new Error(t('passkey.elsewhere', { address: `${address.origin}/console/` }));
}

async function requestPasskey(request: () => Promise<Credential | null>): Promise<PasskeyResponse> {
  try {
    return ((await request()) as PublicKeyCredential).toJSON() as PasskeyResponse;
  } catch (error) {
    const isKnown = (error as { name?: string }).name === 'InvalidStateError';
    throw new Error(t(isKnown ? 'passkey.known' : 'passkey.canceled'), { cause: error });
  }
}
