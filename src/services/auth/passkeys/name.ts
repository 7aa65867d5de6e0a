/**
 * Returns the model name of a passkey's authenticator, or undefined if the model is unknown. The names in
 * `aaguids.json` are from a list that a community maintains
 * (github.com/passkeydeveloper/passkey-authenticator-aaguids). GoTrue 2.196 includes the same list.
 */
const noModel = '00000000-0000-0000-0000-000000000000';
/** The name of a passkey whose authenticator model is unknown. GoTrue uses the same name. */
export const unnamedPasskey = 'Passkey';

export async function passkeyName(aaguid: string): Promise<string | undefined> {
  if (aaguid === noModel) return undefined;
  const { default: models } = await import('./aaguids.json', { with: { type: 'json' } });
  const names: Readonly<Record<string, string>> = models;
  return Object.hasOwn(names, aaguid) ? names[aaguid] : undefined;
}
