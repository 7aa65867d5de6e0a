/** Passkeys in the browser (WebAuthn level 3): passes the server's options to the browser and its JSON response back. */
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { t } from './text.ts';

type Answer = Body<'POST /factor/passkeys/prove'>['answer'];

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** @throws {Error} with a message for the operator */
export async function addPasskey(name: string): Promise<void> {
  const options = await fetchConsole('POST /factor/passkeys/begin');
  requireHost(options.rp.id);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const answer = await answered(() => navigator.credentials.create({ publicKey }));
  await fetchConsole('POST /factor/passkeys', { body: { name, answer } });
}

/** @throws {Error} with a message for the operator */
export async function provePasskey(): Promise<void> {
  const options = await fetchConsole('POST /factor/passkeys/ask');
  requireHost(options.rpId);
  if (options.allowCredentials.length === 0) throw new Error(t('passkey.none'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const answer = await answered(() => navigator.credentials.get({ publicKey }));
  await fetchConsole('POST /factor/passkeys/prove', { body: { answer } });
}

/** Passkeys belong to a host name, but the Console can be open under an IP address. */
function requireHost(name: string | undefined): void {
  if (name === undefined || location.hostname === name || location.hostname.endsWith(`.${name}`)) return;
  const address = new URL(location.href);
  address.hostname = name;
  throw new Error(t('passkey.elsewhere', { address: `${address.origin}/console/` }));
}

async function answered(ask: () => Promise<Credential | null>): Promise<Answer> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON() as Answer;
  } catch (error) {
    const isKnown = (error as { name?: string }).name === 'InvalidStateError';
    throw new Error(t(isKnown ? 'passkey.known' : 'passkey.canceled'), { cause: error });
  }
}
