/**
 * Returns the model name of a passkey's authenticator, or undefined if it is unknown. `aaguids.json` contains the names
 * from the community's list (github.com/passkeydeveloper/passkey-authenticator-aaguids), which GoTrue 2.196 also
 * includes.
 */
const noModel = '00000000-0000-0000-0000-000000000000';
/** The name of a passkey whose model is unknown, as in GoTrue. */
export const unnamedPasskey = 'Passkey';

export async function passkeyName(aaguid: string): Promise<string | undefined> {
  if (aaguid === noModel) return undefined;
  const { default: models } = await import('./aaguids.json', { with: { type: 'json' } });
  const names: Readonly<Record<string, string>> = models;
  return Object.hasOwn(names, aaguid) ? names[aaguid] : undefined;
}
