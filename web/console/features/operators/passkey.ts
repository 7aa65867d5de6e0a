/** Passkeys in the browser (WebAuthn level 3): what the Console asks goes to it, its answer goes back as JSON. */
import { callConsole } from '../../api/session.ts';
import { t } from './text.ts';

type Creation = PublicKeyCredentialCreationOptionsJSON;
type Request = PublicKeyCredentialRequestOptionsJSON;

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** @throws {Error} in words */
export async function addPasskey(name: string): Promise<void> {
  const options = await callConsole<Creation>('/factor/passkeys/begin', { method: 'POST' });
  requireHost(options.rp.id);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const answer = await answered(() => navigator.credentials.create({ publicKey }));
  await callConsole('/factor/passkeys', { method: 'POST', body: { name, answer } });
}

/** @throws {Error} in words */
export async function provePasskey(): Promise<void> {
  const options = await callConsole<Request>('/factor/passkeys/ask', { method: 'POST' });
  requireHost(options.rpId);
  if (options.allowCredentials?.length === 0) throw new Error(t('passkey.none'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const answer = await answered(() => navigator.credentials.get({ publicKey }));
  await callConsole('/factor/passkeys/prove', { method: 'POST', body: { answer } });
}

/** Keys belong to a name, and the Console can be open under an address. */
function requireHost(name: string | undefined): void {
  if (name === undefined || location.hostname === name || location.hostname.endsWith(`.${name}`)) return;
  const address = new URL(location.href);
  address.hostname = name;
  throw new Error(t('passkey.elsewhere', { address: `${address.origin}/console/` }));
}

async function answered(ask: () => Promise<Credential | null>): Promise<unknown> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const isKnown = (error as { name?: string }).name === 'InvalidStateError';
    throw new Error(t(isKnown ? 'passkey.known' : 'passkey.cancelled'), { cause: error });
  }
}
